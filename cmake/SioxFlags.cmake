# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Warning, assertion and sanitizer flags for everything Siox builds.
add_compile_options(-Wall -Wextra)
if(SIOX_WERROR)
  add_compile_options(-Werror)
endif()
if(SIOX_ASSERTIONS)
  foreach(lang C CXX)
    string(REPLACE "-DNDEBUG" "" CMAKE_${lang}_FLAGS_RELWITHDEBINFO "${CMAKE_${lang}_FLAGS_RELWITHDEBINFO}")
  endforeach()
endif()
add_compile_definitions(_GNU_SOURCE)
if(SIOX_SANITIZE)
  # The plug-in is loaded into an uninstrumented clang, so pass/ takes these flags out again.
  set(SIOX_SANITIZE_FLAGS -fsanitize=${SIOX_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_compile_options(${SIOX_SANITIZE_FLAGS})
  add_link_options(${SIOX_SANITIZE_FLAGS})
endif()
if(SIOX_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link) # coverage of everything, for the targets in test/fuzz
endif()

# siox_unit_test(NAME sources... LIBS libs...): one cmocka program, one ctest entry, label unit.
function(siox_unit_test name)
  cmake_parse_arguments(T "" "" "LIBS" ${ARGN})
  add_executable(${name} ${T_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${T_LIBS} cmocka m)
  add_test(NAME unit.${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 600)
endfunction()
