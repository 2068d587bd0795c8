# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What other projects use, by find_package(Siox), from an installation or the build tree, and by add_subdirectory:
#   siox::runtime  libsiox and its headers
#   siox::linked   linked with libsiox before any MPI library, whether it calls it or not
#   siox::pass     siox::linked, and compiled with the pass
#   siox_instrument(target...)
# and what is particular to an installation: siox.pc, the unit of the daemon with the installed path.
include(CMakePackageConfigHelpers)

if(TARGET siox)
  set_target_properties(siox PROPERTIES EXPORT_NAME runtime)
  target_include_directories(siox INTERFACE $<BUILD_INTERFACE:${Siox_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  add_library(siox::runtime ALIAS siox)

  # The loader has to find libsiox's MPI calls before MPI's: link options stand before all libraries. One word, so that
  # nothing can come in between.
  add_library(siox_linked INTERFACE)
  foreach(where "BUILD;${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" "INSTALL;$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}")
    list(GET where 0 kind)
    list(GET where 1 directory)
    target_link_options(siox_linked INTERFACE
                        $<${kind}_INTERFACE:-Wl,--push-state,--no-as-needed,${directory}/libsiox.so,--pop-state>)
  endforeach()
  target_link_libraries(siox_linked INTERFACE siox)
  set_target_properties(siox_linked PROPERTIES EXPORT_NAME linked)
  add_library(siox::linked ALIAS siox_linked)
  set(targets siox siox_linked)

  if(TARGET SioxPass)
    add_library(siox_pass INTERFACE)
    set(instrumented "$<OR:$<COMPILE_LANG_AND_ID:C,Clang>,$<COMPILE_LANG_AND_ID:CXX,Clang>,$<COMPILE_LANG_AND_ID:Fortran,LLVMFlang>>")
    # The second keeps places in the source for the pass (tools/driver/main.c).
    target_compile_options(
      siox_pass INTERFACE
      $<BUILD_INTERFACE:$<${instrumented}:-fpass-plugin=${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/SioxPass.so>>
      $<INSTALL_INTERFACE:$<${instrumented}:-fpass-plugin=$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/SioxPass.so>>
      $<${instrumented}:-Rpass-analysis=^siox-places>)
    target_link_libraries(siox_pass INTERFACE siox_linked)
    # Ninja compiles sources before libraries that their target depends on, but not before other targets.
    add_custom_target(siox_pass_built)
    add_dependencies(siox_pass_built SioxPass)
    add_dependencies(siox_pass siox_pass_built)
    set_target_properties(siox_pass PROPERTIES EXPORT_NAME pass)
    add_library(siox::pass ALIAS siox_pass)
    list(APPEND targets siox_pass)
  endif()

  set(directory ${CMAKE_INSTALL_LIBDIR}/cmake/Siox)
  install(TARGETS ${targets} EXPORT SioxTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT SioxTargets NAMESPACE siox:: DESTINATION ${directory})
  export(EXPORT SioxTargets NAMESPACE siox:: FILE ${Siox_BINARY_DIR}/SioxTargets.cmake)
  configure_package_config_file(${Siox_SOURCE_DIR}/cmake/SioxConfig.cmake.in ${Siox_BINARY_DIR}/SioxConfig.cmake
                                INSTALL_DESTINATION ${directory} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file(${Siox_BINARY_DIR}/SioxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  configure_file(${Siox_SOURCE_DIR}/cmake/SioxInstrument.cmake ${Siox_BINARY_DIR}/SioxInstrument.cmake COPYONLY)
  install(FILES ${Siox_BINARY_DIR}/SioxConfig.cmake ${Siox_BINARY_DIR}/SioxConfigVersion.cmake
                ${Siox_BINARY_DIR}/SioxInstrument.cmake DESTINATION ${directory})
  include(SioxInstrument) # for who took Siox in with add_subdirectory

  file(RELATIVE_PATH SIOX_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  configure_file(${Siox_SOURCE_DIR}/cmake/siox.pc.in ${Siox_BINARY_DIR}/siox.pc @ONLY)
  install(FILES ${Siox_BINARY_DIR}/siox.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# share/sioxd.service names /usr/local; an installation elsewhere gets its own path.
install(CODE "
  set(unit \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/siox/sioxd.service\")
  if(EXISTS \"\${unit}\")
    file(READ \"\${unit}\" text)
    string(REPLACE /usr/local/bin \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\" text \"\${text}\")
    file(WRITE \"\${unit}\" \"\${text}\")
  endif()")
