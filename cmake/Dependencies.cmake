# The libraries that Pistachio stands on, found by name (packages.txt lists their packages).
#
# Static archives are preferred: the program starts without a dynamic linker's search through ten
# libraries, and only the functions that it uses are in it. -DPISTACHIO_STATIC=OFF links shared ones.

option(PISTACHIO_STATIC "Prefer static archives of the libraries" ON)
find_package(Threads REQUIRED)

# pistachio_find(<result variable> <header> <library> ...)
function(pistachio_find result header)
  string(MAKE_C_IDENTIFIER "PISTACHIO_HEADER_${header}" folder)
  find_path(${folder} ${header})
  if(NOT ${folder})
    message(FATAL_ERROR "${header} not found: run scripts/setup, or install what packages.txt lists")
  endif()
  set(found)
  foreach(name IN LISTS ARGN)
    if(PISTACHIO_STATIC)
      find_library(PISTACHIO_LIBRARY_${name} NAMES lib${name}.a ${name})
    else()
      find_library(PISTACHIO_LIBRARY_${name} NAMES ${name})
    endif()
    if(NOT PISTACHIO_LIBRARY_${name})
      message(FATAL_ERROR "library ${name} not found: run scripts/setup, or install what packages.txt lists")
    endif()
    list(APPEND found ${PISTACHIO_LIBRARY_${name}})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

pistachio_find(snappy snappy-c.h snappy)
pistachio_find(zstd zstd.h zstd)
pistachio_find(zlib zlib.h z)
pistachio_find(lz4 lz4.h lz4)
pistachio_find(brotli brotli/decode.h brotlienc brotlidec brotlicommon)
pistachio_find(xxhash xxhash.h xxhash)
pistachio_find(pcre2 pcre2.h pcre2-8)
pistachio_find(uring liburing.h uring)

# snappy is C++: its archive needs the C++ runtime, of which the linker takes the few parts used. The
# compiler alone knows where the one of its version lies; it answers with the bare name if nowhere.
set(runtimes libstdc++.so)
if(PISTACHIO_STATIC)
  set(runtimes libstdc++.a libstdc++.so)
endif()
set(snappy_runtime)
foreach(name IN LISTS runtimes)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${name}
                  OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT snappy_runtime AND IS_ABSOLUTE "${file}" AND EXISTS "${file}")
    set(snappy_runtime ${file})
  endif()
endforeach()
if(NOT snappy_runtime)
  message(FATAL_ERROR "the C++ runtime libstdc++, which snappy needs, is not found beside ${CMAKE_C_COMPILER}: "
                      "run scripts/setup, or install what packages.txt lists")
endif()

set(PISTACHIO_LIBRARIES ${snappy} ${snappy_runtime} ${zstd} ${zlib} ${lz4} ${brotli}
    ${xxhash} ${pcre2} ${uring} Threads::Threads m ${CMAKE_DL_LIBS})

# Line editing, for the program alone.
pistachio_find(edit histedit.h edit tinfo bsd md)
set(PISTACHIO_EDIT ${edit})

# For pistachio-http.so alone, and shared: what is wrong with TLS is mended by an update of the system. Without them the
# build reads no object stores.
find_library(PISTACHIO_LIBRARY_curl curl)
find_library(PISTACHIO_LIBRARY_crypto crypto)
find_path(PISTACHIO_HEADER_curl curl/curl.h)
find_path(PISTACHIO_HEADER_openssl openssl/hmac.h)
set(PISTACHIO_HTTP_LIBRARIES)
if(PISTACHIO_LIBRARY_curl AND PISTACHIO_LIBRARY_crypto AND PISTACHIO_HEADER_curl AND PISTACHIO_HEADER_openssl)
  set(PISTACHIO_HTTP_LIBRARIES ${PISTACHIO_LIBRARY_curl} ${PISTACHIO_LIBRARY_crypto} Threads::Threads)
else()
  message(STATUS "libcurl or OpenSSL not found: no object stores (libcurl4-openssl-dev, libssl-dev)")
endif()

# For pistachio-serve.so alone, and shared. Without them the server has no TLS.
find_library(PISTACHIO_LIBRARY_ssl ssl)
set(PISTACHIO_SERVE_LIBRARIES Threads::Threads)
set(PISTACHIO_SERVE_DEFINITIONS)
if(PISTACHIO_LIBRARY_ssl AND PISTACHIO_LIBRARY_crypto AND PISTACHIO_HEADER_openssl)
  list(APPEND PISTACHIO_SERVE_LIBRARIES ${PISTACHIO_LIBRARY_ssl} ${PISTACHIO_LIBRARY_crypto})
  list(APPEND PISTACHIO_SERVE_DEFINITIONS SERVER_HAS_TLS)
else()
  message(STATUS "OpenSSL not found: no TLS of the server (libssl-dev)")
endif()
# And with libevent it has HTTP.
find_library(PISTACHIO_LIBRARY_event_core event_core)
find_library(PISTACHIO_LIBRARY_event_extra event_extra)
find_library(PISTACHIO_LIBRARY_event_openssl event_openssl)
find_path(PISTACHIO_HEADER_event event2/http.h)
set(PISTACHIO_SERVE_HTTP OFF)
if(PISTACHIO_SERVE_DEFINITIONS AND PISTACHIO_LIBRARY_event_core AND PISTACHIO_LIBRARY_event_extra AND
   PISTACHIO_LIBRARY_event_openssl AND PISTACHIO_HEADER_event)
  list(APPEND PISTACHIO_SERVE_LIBRARIES ${PISTACHIO_LIBRARY_event_core} ${PISTACHIO_LIBRARY_event_extra}
       ${PISTACHIO_LIBRARY_event_openssl})
  list(APPEND PISTACHIO_SERVE_DEFINITIONS SERVER_HAS_HTTP)
  set(PISTACHIO_SERVE_HTTP ON)
else()
  message(STATUS "libevent not found: no HTTP of the server (libevent-dev)")
endif()
