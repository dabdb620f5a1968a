"""The chapters of the gallery, in the order of the page. Each name is a file beside this folder with a docstring and `measure(desk)`."""
CHAPTERS = {
    "Shapes of rods": ["elastica_tip_load", "end_moment", "bend_45"],
    "Stability": ["euler_columns", "greenhill_column", "beck_column"],
}
