# Turns api/examples/*.json into a C array at build time:  cmake -DOUT=embedded_examples.c -DEXAMPLES=… -P embed.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../embed_files.cmake)
file(GLOB examples ${EXAMPLES}/*.json)
list(SORT examples)
file(WRITE ${OUT} "#include \"api/c/examples/examples.h\"\n")
embed(embedded_examples "${examples}")
