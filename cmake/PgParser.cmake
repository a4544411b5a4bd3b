# PostgreSQL's scanner and grammar (third_party/pg_parser), made by flex and bison.
#
# Makes the objects pg_parser; PG_PARSER_INCLUDE: where <pg_parser/...> lies.

find_program(PISTACHIO_BISON bison)
find_program(PISTACHIO_FLEX flex)
foreach(tool BISON FLEX)
  if(NOT PISTACHIO_${tool})
    string(TOLOWER ${tool} name)
    message(FATAL_ERROR "${name} not found: run scripts/setup, or install what packages.txt lists")
  endif()
endforeach()

set(parser ${CMAKE_SOURCE_DIR}/third_party/pg_parser)
set(made ${CMAKE_BINARY_DIR}/third_party/pg_parser)
file(MAKE_DIRECTORY ${made})
add_custom_command(
  OUTPUT ${made}/gram.c ${made}/gram.h
  COMMAND ${PISTACHIO_BISON} -Wno-deprecated --defines=${made}/gram.h --output=${made}/gram.c ${parser}/gram.y
  DEPENDS ${parser}/gram.y VERBATIM)
# Tables with classes of characters: a third of the size of -CF's, and parsing takes as long.
add_custom_command(
  OUTPUT ${made}/scan.c
  COMMAND ${PISTACHIO_FLEX} -Cfe -p -p --outfile=${made}/scan.c ${parser}/scan.l
  DEPENDS ${parser}/scan.l VERBATIM)

add_library(pg_parser OBJECT ${made}/gram.c ${made}/gram.h ${made}/scan.c ${parser}/makefuncs.c ${parser}/parser.c
                             ${parser}/shim.c ${parser}/words.c)
set_target_properties(pg_parser PROPERTIES POSITION_INDEPENDENT_CODE ON)
set(PG_PARSER_INCLUDE ${CMAKE_SOURCE_DIR}/third_party ${CMAKE_BINARY_DIR}/third_party)
set(PG_PARSER_INCLUDE_MADE ${made}/gram.h)
target_include_directories(pg_parser PRIVATE ${parser} ${PG_PARSER_INCLUDE})
# The program's flags, sanitizers included, but for its warnings: the code is PostgreSQL's.
target_link_libraries(pg_parser PRIVATE pistachio_flags)
target_compile_options(pg_parser PRIVATE -w)
