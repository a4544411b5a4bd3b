# What users of the library get: libpistachio.so.0, libpistachio.a, pistachio.pc. Both libraries show
# the functions of include/pistachio/pistachio.h and nothing else; the program and the tests link the
# archive in the build folder, in which everything can be seen. (docs/LIBRARY.md)
#
# Not with sanitizers: whoever linked such a library would need their runtime.

option(PISTACHIO_SHARED "Build the shared library, besides the archive" ON)

# A user links these besides the archive: a path of an archive or shared library becomes -l<name>.
function(pistachio_private_flags result)
  set(flags)
  foreach(library IN LISTS PISTACHIO_LIBRARIES)
    if(library STREQUAL "Threads::Threads")
      list(APPEND flags -lpthread)
    elseif(IS_ABSOLUTE ${library})
      get_filename_component(name ${library} NAME)
      string(REGEX REPLACE "^lib(.*)\\.(a|so)[0-9.]*$" "-l\\1" flag ${name})
      list(APPEND flags ${flag})
    else()
      list(APPEND flags -l${library})
    endif()
  endforeach()
  string(REPLACE ";" " " flags "${flags}")
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# The archive as one object, in which names that are hidden in a shared library are local.
function(pistachio_fenced_archive)
  set(folder ${CMAKE_BINARY_DIR}/installed)
  set(archive ${folder}/libpistachio.a)
  add_custom_command(
    OUTPUT ${archive}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${CMAKE_LINKER} -r -o ${folder}/pistachio.o --whole-archive $<TARGET_FILE:pistachio>
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${folder}/pistachio.o
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} qc ${archive} ${folder}/pistachio.o
    COMMAND ${CMAKE_RANLIB} ${archive}
    COMMAND ${CMAKE_COMMAND} -E rm ${folder}/pistachio.o
    DEPENDS pistachio
    COMMENT "Fencing libpistachio.a"
    VERBATIM)
  add_custom_target(pistachio_fenced ALL DEPENDS ${archive})
  install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# pistachio_shared_library(<objects> ...)
function(pistachio_shared_library)
  set(exports ${CMAKE_SOURCE_DIR}/src/api/exports.map)
  add_library(pistachio_shared SHARED ${ARGN})
  set_target_properties(
    pistachio_shared
    PROPERTIES OUTPUT_NAME pistachio
               VERSION ${PROJECT_VERSION}
               SOVERSION 0
               LINKER_LANGUAGE C
               LINK_DEPENDS ${exports})
  target_link_libraries(pistachio_shared PRIVATE pistachio_flags ${PISTACHIO_LIBRARIES})
  target_link_options(pistachio_shared PRIVATE -Wl,--version-script=${exports} -Wl,-z,defs)
  install(TARGETS pistachio_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# Paths in it begin where it lies, so that what is installed may be moved.
function(pistachio_pkg_config)
  pistachio_private_flags(private_flags)
  set(shared_flags)
  if(NOT PISTACHIO_SHARED)
    set(shared_flags " ${private_flags}")
  endif()
  if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(libdir ${CMAKE_INSTALL_FULL_LIBDIR})
    set(includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
    set(prefix ${CMAKE_INSTALL_PREFIX})
  else()
    file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
    string(REGEX REPLACE "/$" "" up ${up})
    set(prefix "\${pcfiledir}/${up}")
    set(libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
  endif()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/pistachio.pc.in ${CMAKE_BINARY_DIR}/pistachio.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/pistachio.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
