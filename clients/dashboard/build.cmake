# cmake -DENABLED=ON -DNPM=… -DNODE=… -DSOURCE=clients/dashboard -DWORK=build/… -DOUT=dashboard_files.c -P build.cmake
#
# Copies the sources to WORK, installs what package-lock.json says (only when it changed), checks types, bundles, and
# turns the bundle into OUT. An error in our code ends the build; packages that cannot be fetched only leave the
# dashboard out.
function(leave_out why)
  message(WARNING "the dashboard is left out: ${why}")
  file(WRITE ${OUT} "#include \"http/dashboard.h\"\n\nconst dashboard_file dashboard_files[] = {{0}};\n")
endfunction()

function(run what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(status "${status}" PARENT_SCOPE)
  set(text "${text}" PARENT_SCOPE)
endfunction()

if(NOT ENABLED)
  leave_out("npm is missing")
  return()
endif()

file(REMOVE_RECURSE ${WORK}/src ${WORK}/dist)
file(MAKE_DIRECTORY ${WORK})
foreach(name src index.html package.json package-lock.json tsconfig.json vite.config.ts docs.ts)
  file(COPY ${SOURCE}/${name} DESTINATION ${WORK})
endforeach()
foreach(name ${DOCUMENTS}) # as they lie in the repository: their links are relative
  get_filename_component(folder ${WORK}/${name} DIRECTORY)
  file(COPY ${REPOSITORY}/${name} DESTINATION ${folder})
endforeach()

file(SHA256 ${SOURCE}/package-lock.json wanted)
set(installed "")
if(EXISTS ${WORK}/installed)
  file(READ ${WORK}/installed installed)
endif()
if(NOT installed STREQUAL wanted)
  file(REMOVE ${WORK}/installed)
  run(packages ${NPM} ci --no-fund --no-audit --ignore-scripts --loglevel=error)
  if(NOT status EQUAL 0)
    leave_out("npm ci failed; touch clients/dashboard/package.json to try again\n${text}")
    return()
  endif()
  file(WRITE ${WORK}/installed ${wanted})
endif()

foreach(step check bundle)
  run(${step} ${NPM} run --silent ${step})
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "npm run ${step} failed\n${text}")
  endif()
endforeach()
run(embed ${NODE} ${SOURCE}/embed.mjs ${WORK}/dist ${OUT})
if(NOT status EQUAL 0)
  message(FATAL_ERROR "embed.mjs failed\n${text}")
endif()
message(STATUS "${text}")
