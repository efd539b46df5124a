// SPDX-License-Identifier: Apache-2.0
// A host of another C++ standard than the library's: the border is C.
#include <chimera.h>
#include <cstdio>
#include <memory>
#include <span>

int main() {
    chm_platform* platform = nullptr;
    chm_settings* settings = nullptr;
    chm_settings_create(&settings);
    chm_settings_set(settings, "mtu_bytes", "0");
    const chm_status refused = chm_platform_load(&platform, "mesh_5x5", settings);
    chm_settings_free(settings);
    if (refused != chm_bad_input || platform != nullptr) {
        return 1;
    }
    std::printf("refused: %s", chm_last_error());
    if (chm_platform_load(&platform, "mesh_5x5", nullptr) != chm_ok) {
        return 1;
    }
    const std::unique_ptr<chm_platform, decltype(&chm_platform_free)> owned(platform,
                                                                            chm_platform_free);
    chm_load_result result = CHM_LOAD_RESULT_INIT;
    chm_load_options options = CHM_LOAD_OPTIONS_INIT;
    const chm_status status =
        chm_measure_load(&result, nullptr, chm_format_text, platform, &options);
    std::printf("accepted %.3f of %.3f\n", result.accepted, result.offered);
    return status == chm_ok && result.accepted > 0 ? 0 : 1;
}
