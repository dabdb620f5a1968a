# Turns files into C arrays at build time:
#     cmake -DOUT=embedded.c -DMIGRATIONS=… -DEXAMPLES=… -DCONTRACT=… -DDESCRIPTORS=… -P embed.cmake
# The result defines embedded_migrations[], embedded_examples[], embedded_contract[] and embedded_descriptors[] of
# base/embedded.h, sorted by name.
function(embed array files)
  set(table "")
  set(index 0)
  foreach(path ${files})
    get_filename_component(name ${path} NAME)
    file(READ ${path} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
    file(APPEND ${OUT} "static const unsigned char ${array}_${index}[] = {\n${bytes}0};\n")
    string(APPEND table "  {\"${name}\", (const char *)${array}_${index}, sizeof ${array}_${index} - 1},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  file(APPEND ${OUT} "const embedded_file ${array}[] = {\n${table}  {0, 0, 0}};\n")
endfunction()

file(GLOB migrations ${MIGRATIONS}/*.sql)
file(GLOB examples ${EXAMPLES}/*.json)
list(SORT migrations)
list(SORT examples)
file(WRITE ${OUT} "#include \"base/embedded.h\"\n")
embed(embedded_migrations "${migrations}")
embed(embedded_examples "${examples}")
embed(embedded_contract "${CONTRACT}")
embed(embedded_descriptors "${DESCRIPTORS}")
