# Manual page, completion, and the Debian package of the program: `cpack -G DEB` in a release folder whose pistachio_program
# and pistachio_pages are built (tests/cli/package.sh does it, and uses what is in it).
#
# The package has the component `program`: the program, its modules, its pages. The library, its headers and its CMake package
# are for `cmake --install` (docs/LIBRARY.md).

set(share ${CMAKE_BINARY_DIR}/share)
if(TARGET pistachio_program AND NOT PISTACHIO_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  add_custom_command(
    OUTPUT ${share}/pistachio.1.gz ${share}/pistachio.bash ${share}/_pistachio ${share}/changelog.gz
    COMMAND ${CMAKE_SOURCE_DIR}/scripts/man $<TARGET_FILE:pistachio_program> ${share}
    COMMAND gzip -9nf ${share}/pistachio.1
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_BINARY_DIR}/debian-changelog ${share}/changelog
    COMMAND gzip -9nf ${share}/changelog
    DEPENDS pistachio_program ${CMAKE_SOURCE_DIR}/scripts/man
    VERBATIM)
  add_custom_target(pistachio_pages ALL DEPENDS ${share}/pistachio.1.gz)
endif()
string(TIMESTAMP date "%a, %d %b %Y 00:00:00 +0000" UTC)
configure_file(${CMAKE_SOURCE_DIR}/cmake/debian/changelog.in ${CMAKE_BINARY_DIR}/debian-changelog @ONLY)

# Left out where they have not been made.
install(FILES ${share}/pistachio.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program OPTIONAL)
install(FILES ${share}/pistachio.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME pistachio
        COMPONENT program OPTIONAL)
install(FILES ${share}/_pistachio DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program OPTIONAL)
install(FILES ${share}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT debian EXCLUDE_FROM_ALL OPTIONAL)
install(FILES cmake/debian/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME pistachio
        COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES cmake/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT debian EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pistachio)
set(CPACK_PACKAGE_VENDOR Pistachio)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "SQL engine over Parquet files")
set(CPACK_PACKAGE_DESCRIPTION "Pistachio answers SQL over folders of Parquet files: in a shell,
in scripts and for clients of PostgreSQL. It keeps to a limit of memory, goes
to disk beyond it, and reads object stores of S3 and its like.")
set(CPACK_COMPONENTS_ALL program debian)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Pistachio maintainers <maintainers@pistachio.invalid>")
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
