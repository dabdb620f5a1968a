# Turns files into C arrays at build time:
#     cmake -DOUT=embedded.c -DMIGRATIONS=… -DCONTRACT=… -DDESCRIPTORS=… -P embed.cmake
# The result defines embedded_sqlite_migrations[], embedded_postgresql_migrations[], embedded_contract[] and embedded_descriptors[] of
# base/embedded.h, sorted by name.
include(${CMAKE_CURRENT_LIST_DIR}/../api/c/embed_files.cmake)
file(GLOB sqlite ${MIGRATIONS}/sqlite/*.sql)
file(GLOB postgresql ${MIGRATIONS}/postgresql/*.sql)
list(SORT sqlite)
list(SORT postgresql)
file(WRITE ${OUT} "#include \"base/embedded.h\"\n")
embed(embedded_sqlite_migrations "${sqlite}")
embed(embedded_postgresql_migrations "${postgresql}")
embed(embedded_contract "${CONTRACT}")
embed(embedded_descriptors "${DESCRIPTORS}")
