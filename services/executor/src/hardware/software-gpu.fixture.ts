/** A GPU in software, for tests: SwiftShader, which Debian's Chromium carries with a loader for it. */
import { existsSync } from 'node:fs'

const FOLDER = '/usr/lib/chromium'
const isThere = existsSync(`${FOLDER}/vk_swiftshader_icd.json`) && existsSync(`${FOLDER}/libvulkan.so.1`)

/** Why a test of it can't run here, for `skip`: in CI none may be skipped. */
export const softwareGpuMissing: string | false =
  !isThere && process.env.CI !== 'true' && 'needs a GPU in software: apt-get install chromium'

/** The variables with which a server has it. */
export const softwareGpu = {
  VK_DRIVER_FILES: `${FOLDER}/vk_swiftshader_icd.json`,
  LD_LIBRARY_PATH: FOLDER,
}
