# SPDX-License-Identifier: Apache-2.0
"""The library from Python, by ctypes and nothing else: python3 speedup.py libchimera.so"""
import ctypes
import sys

chimera = ctypes.CDLL(sys.argv[1])
chimera.chm_last_error.restype = ctypes.c_char_p
chimera.chm_report_text.restype = ctypes.c_char_p


class RunOptions(ctypes.Structure):  # chm_run_options
    _fields_ = [("struct_size", ctypes.c_size_t), ("engine", ctypes.c_uint32),
                ("data", ctypes.c_uint32), ("stall_probability", ctypes.c_double),
                ("seed", ctypes.c_uint64), ("log", ctypes.c_void_p), ("log_user", ctypes.c_void_p),
                ("record", ctypes.c_char_p), ("trace", ctypes.c_void_p),
                ("trace_unfused", ctypes.c_void_p), ("failures", ctypes.c_void_p),
                ("failure_count", ctypes.c_size_t)]


def check(status):
    if status != 0:
        sys.exit(chimera.chm_last_error().decode())


platform, program, report = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
check(chimera.chm_platform_load(ctypes.byref(platform), b"fat_tree_2x8", None))
check(chimera.chm_program_load(ctypes.byref(program), platform, b"sp_ep", None, ctypes.c_uint64(1)))
options = RunOptions(ctypes.sizeof(RunOptions), 1, 1, 0.0, 1, None, None, None, None, None,
                     None, 0)
check(chimera.chm_compare(None, ctypes.byref(report), 0, None, platform, program,
                          ctypes.byref(options)))
text = chimera.chm_report_text(report).decode()
print(text)
assert "data equal" in text
chimera.chm_report_free(report)
chimera.chm_program_free(program)
chimera.chm_platform_free(platform)
