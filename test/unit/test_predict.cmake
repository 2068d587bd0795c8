# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The predictor lives in libsiox; its pure files are built into the test.
set(client ${CMAKE_SOURCE_DIR}/runtime/client)
foreach(name test_predict test_predict_beats test_predict_course test_predict_files test_predict_flight test_predict_measured test_predict_moving test_predict_outside
             test_predict_sleeps test_predict_when)
  siox_unit_test(${name} ${name}.c ${client}/predict_core.c ${client}/predict_plan.c ${client}/predict_history.c ${client}/predict_time.c
                 ${client}/predict_beats.c ${client}/predict_course.c ${client}/predict_when.c ${client}/predict_flight.c ${client}/when_iterations.c LIBS siox_core)
endforeach()
