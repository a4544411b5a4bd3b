# What users of the library get: libpistachio.so.0, libpistachio.a, pistachio.pc, a CMake package, a manifest for ADBC. Both libraries show
# the functions of include/pistachio/pistachio.h and nothing else; the program and the tests link the
# archive in the build folder, in which everything can be seen. (docs/LIBRARY.md)
#
# Not with sanitizers: whoever linked such a library would need their runtime. A shared one with them is made when it is
# asked for (--target pistachio_shared), for tests/clients/run alone.

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

# pistachio_link_shared(<objects> ...): the target pistachio_shared, and what the Python package loads beside it.
function(pistachio_link_shared)
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
  target_link_options(pistachio_shared PRIVATE -Wl,--version-script=${exports})
  pistachio_python_library()
endfunction()

# pistachio_sanitized_library(<objects> ...)
function(pistachio_sanitized_library)
  pistachio_link_shared(${ARGN})
  set_target_properties(pistachio_shared pistachio_python PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()

# pistachio_shared_library(<objects> ...)
function(pistachio_shared_library)
  pistachio_link_shared(${ARGN})
  target_link_options(pistachio_shared PRIVATE -Wl,-z,defs)
  target_include_directories(pistachio_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(pistachio_shared PROPERTIES EXPORT_NAME pistachio)
  install(TARGETS pistachio_shared EXPORT pistachio LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  pistachio_cmake_package()
  pistachio_manifest()
endfunction()

# What the Python package loads for DLPack, beside the shared library: scripts/wheel takes it from there. Python's functions
# are the interpreter's that loads it; nothing of Python is needed here.
function(pistachio_python_library)
  add_library(pistachio_python MODULE ${CMAKE_SOURCE_DIR}/python/pistachio/_capsule.c
                                      ${CMAKE_SOURCE_DIR}/python/pistachio/_interrupt.c)
  set_target_properties(pistachio_python PROPERTIES PREFIX "" OUTPUT_NAME _capsule)
  target_include_directories(pistachio_python PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(pistachio_python PRIVATE pistachio_flags)
  add_dependencies(pistachio_shared pistachio_python)
endfunction()

# find_package(pistachio): the target pistachio::pistachio, the shared library.
function(pistachio_cmake_package)
  include(CMakePackageConfigHelpers)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/pistachio)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/pistachioConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/pistachioConfigVersion.cmake DESTINATION ${folder})
  install(EXPORT pistachio FILE pistachioConfig.cmake NAMESPACE pistachio:: DESTINATION ${folder})
endfunction()

# pistachio_module(<name> <folder of src> <library> ...): pistachio-<name>.so, which the engine loads when something needs
# it (src/base/system/module.h), and which alone is linked with the libraries. It is installed beside the shared library. The files but
# <folder>_module.c are the objects pistachio_<name>_objects: tests link them with the engine.
function(pistachio_module name folder)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.c)
  set(module ${found})
  list(FILTER module INCLUDE REGEX "/${folder}_module.c$")
  list(FILTER found EXCLUDE REGEX "/${folder}_module.c$")
  add_library(pistachio_${name}_objects OBJECT ${found})
  add_library(pistachio_${name} MODULE ${module} $<TARGET_OBJECTS:pistachio_${name}_objects> ${build_id})
  foreach(target pistachio_${name}_objects pistachio_${name})
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(${target} PRIVATE pistachio_flags ${ARGN})
  endforeach()
  set_target_properties(pistachio_${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set_target_properties(pistachio_${name} PROPERTIES PREFIX "" OUTPUT_NAME pistachio-${name})
  if(NOT PISTACHIO_SANITIZE)
    target_link_options(pistachio_${name} PRIVATE -Wl,-z,defs)
    install(TARGETS pistachio_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program)
  endif()
endfunction()

# By which ADBC's driver managers find the library under the name "pistachio". Its path is known when it is
# installed.
function(pistachio_manifest)
  string(TOLOWER ${CMAKE_SYSTEM_PROCESSOR} machine)
  string(REPLACE x86_64 amd64 machine ${machine})
  string(REPLACE aarch64 arm64 machine ${machine})
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY /prefix OUTPUT_VARIABLE library)
  install(CODE "
    set(library \"${library}/libpistachio.so.0\")
    string(REGEX REPLACE \"^/prefix/\" \"\${CMAKE_INSTALL_PREFIX}/\" library \"\${library}\")
    set(machine ${machine})
    set(version ${PROJECT_VERSION})
    configure_file(\"${CMAKE_SOURCE_DIR}/cmake/pistachio.toml.in\" \"${CMAKE_BINARY_DIR}/pistachio.toml\" @ONLY)")
  install(FILES ${CMAKE_BINARY_DIR}/pistachio.toml DESTINATION ${CMAKE_INSTALL_SYSCONFDIR}/adbc/drivers)
endfunction()

# All that cmake --install copies, without tests: cmake --build BUILD --target pistachio_installed
function(pistachio_install_target)
  add_custom_target(pistachio_installed)
  foreach(target pistachio_program pistachio_fenced pistachio_shared pistachio_http pistachio_serve cuda_kernels)
    if(TARGET ${target})
      add_dependencies(pistachio_installed ${target})
    endif()
  endforeach()
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

# pistachio_server_parts(<target>): what the server's sources (src/server) need of the libraries that were found.
function(pistachio_server_parts target)
  target_compile_definitions(${target} PUBLIC ${PISTACHIO_SERVE_DEFINITIONS})
  get_target_property(sources ${target} SOURCES)
  if(PISTACHIO_SERVE_HTTP)
    pistachio_embed(page page_files ${CMAKE_SOURCE_DIR}/src/server/web/page index.html page.js HEADER server/web/page_files.h
                    TYPE page_text)
    list(APPEND sources ${page})
  else()
    list(FILTER sources EXCLUDE REGEX "/server/web/")
  endif()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endfunction()
