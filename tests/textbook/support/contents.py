"""The chapters of the gallery, in the order of the page. Each name is a file beside this folder with a docstring and `measure(desk)`."""
CHAPTERS = {
    "Shapes of rods": ["elastica_tip_load", "end_moment", "bend_45", "princeton_beam", "follower_force", "clothoid", "catenary",
                       "helical_spring", "lees_frame", "deep_arch"],
    "Stability": ["euler_columns", "greenhill_column", "beck_column", "leipholz_column", "ziegler_column", "twisted_rod"],
    "Vibrations": ["cantilever_frequencies", "timoshenko_beam", "conical_beam", "rotating_beam", "hanging_chain"],
    "Rods in motion": ["spin_up", "turning_hubs", "flying_spaghetti", "right_angle_cantilever"],
    "Rigid bodies": ["pendulum", "double_pendulum", "tumbling_body", "heavy_top"],
    "Mechanisms with loops": ["slider_crank", "four_bars", "bricard", "andrews", "flyball_governor"],
    "Robots with tendons": ["tendon_robots", "tendon_pull"],
    "Magnets": ["magnetic_catheter"],
    "Fluid and contact": ["terminal_velocity", "stokes_ball", "helix_thrust", "wet_cantilever", "floating_spar", "hertz_bounce",
                          "rolling_rod"],
    "What order and points give": ["order_and_points"],
}
