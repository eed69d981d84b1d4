/** Why a test that needs a tool is skipped on a machine that lacks the tool. */
import { spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'

/**
 * For the `skip` of a test: `reason` where `isUsable` is false or throws, because the tool is absent, broken or too old. A reason
 * says how to get the tool. Under CI nothing may be skipped: there it is always false, and the test fails instead.
 */
export function missing(reason: string, isUsable: () => boolean): string | false {
  if (process.env.CI === 'true') return false
  try {
    return isUsable() ? false : reason
  } catch {
    return reason
  }
}

/** What a command prints, on either stream, without colours. Throws where it does not start, fails or takes longer than five minutes. */
export function printed(command: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { error, status, stdout, stderr } = spawnSync(command, words, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 300_000,
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ended with ${status}`)
  return stripVTControlCharacters(stdout + stderr)
}

/** Whether the first version in a text, such as 1.29 in "docker-compose version 1.29.2", is this one or a later one. */
export function hasVersion(text: string, major: number, minor = 0): boolean {
  const [, itsMajor, itsMinor = '0'] = /(\d+)(?:\.(\d+))?/.exec(text) ?? []
  if (itsMajor === undefined) return false
  return Number(itsMajor) === major ? Number(itsMinor) >= minor : Number(itsMajor) > major
}
