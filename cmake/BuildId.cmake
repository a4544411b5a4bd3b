# Which build a program is, for ranks that meet: the version and a hash of all sources, in a file to compile. The same
# sources give the same text, wherever they lie. As a script: cmake -DSOURCE=... -DVERSION=... -DRESULT=... -P this.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${SOURCE} ${SOURCE}/src/*.[ch] ${SOURCE}/src/*.def
       ${SOURCE}/include/*.h)
  list(SORT files)
  set(all)
  foreach(name IN LISTS files)
    file(SHA256 ${SOURCE}/${name} hash)
    string(APPEND all "${hash} ${name}\n")
  endforeach()
  string(SHA256 hash "${all}")
  string(SUBSTRING ${hash} 0 16 hash)
  file(CONFIGURE OUTPUT ${RESULT} CONTENT
       "#include \"base/system/build_id.h\"\n\nconst char build_id[] = \"${VERSION}, build ${hash}\";\n" @ONLY)
  return()
endif()

# pistachio_build_id(<result>): the file; made anew when a source changes.
function(pistachio_build_id result)
  set(path ${CMAKE_BINARY_DIR}/embedded/build_id.c)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.[ch] ${CMAKE_SOURCE_DIR}/src/*.def
       ${CMAKE_SOURCE_DIR}/include/*.h)
  add_custom_command(
    OUTPUT ${path}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DRESULT=${path} -P
            ${CMAKE_SOURCE_DIR}/cmake/BuildId.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/BuildId.cmake
    VERBATIM)
  set(${result} ${path} PARENT_SCOPE)
endfunction()
