# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# siox_instrument(target...): compiles the targets' C, C++ and Fortran sources with the Siox pass and links them, or what
# links them, with libsiox. For targets of any kind, at any point after they were added. Settings of the pass are
# environment variables (SIOX_FORM and so on; see siox-cc --siox-help).

# siox__compiler_misfit(out): why the enabled compilers cannot load the pass, empty when they can. The pass was built with
# SIOX_LLVM_MAJOR.
function(siox__compiler_misfit out)
  set(why "")
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(language C CXX Fortran)
    if(NOT language IN_LIST languages)
      continue()
    endif()
    set(id "${CMAKE_${language}_COMPILER_ID}")
    set(version "${CMAKE_${language}_COMPILER_VERSION}")
    set(wanted Clang)
    if(language STREQUAL "Fortran")
      set(wanted LLVMFlang)
      if(NOT id STREQUAL wanted)
        continue() # Fortran by another compiler is compiled without the pass, C and C++ are not the worse for it
      endif()
    endif()
    string(REGEX MATCH "^[0-9]+" major "${version}")
    if(NOT id STREQUAL wanted OR (major AND NOT major EQUAL SIOX_LLVM_MAJOR))
      set(why "the Siox pass is loaded by clang ${SIOX_LLVM_MAJOR}, but the ${language} compiler is ${id} ${version} \
(${CMAKE_${language}_COMPILER}); configure with -DCMAKE_${language}_COMPILER=clang-${SIOX_LLVM_MAJOR} or siox-cc")
      if(language STREQUAL "CXX")
        string(REPLACE "clang-${SIOX_LLVM_MAJOR} or siox-cc" "clang++-${SIOX_LLVM_MAJOR} or siox-cxx" why "${why}")
      endif()
      break()
    endif()
  endforeach()
  set(${out} "${why}" PARENT_SCOPE)
endfunction()

function(siox_instrument)
  if(NOT ARGN)
    message(FATAL_ERROR "siox_instrument(target...) needs a target")
  endif()
  siox__compiler_misfit(why)
  if(why)
    message(FATAL_ERROR "siox_instrument: ${why}")
  endif()
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "siox_instrument: there is no target ${target}")
    endif()
    # By properties, which go with either signature of target_link_libraries.
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES siox::pass)
    endif()
    if(type MATCHES "STATIC_LIBRARY|OBJECT_LIBRARY")
      # Who links the objects needs the run time, and their own sources are left as they are.
      set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES siox::linked)
    elseif(type STREQUAL "INTERFACE_LIBRARY")
      set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES siox::pass)
    endif()
  endforeach()
endfunction()
