/** Java, and what it runs: the jars of a server, fetched once from Maven Central into the user's cache. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasVersion, missing, printed } from './missing.ts'

const run = promisify(execFile)

/** Why suites that need these servers skip: false where Java and Maven are there, and under CI, where nothing skips. */
export const javaMissing: string | false = missing(
  'needs a Java development kit, 17 or later, and Maven (Debian: default-jdk-headless, maven)',
  () =>
    ['java', 'javac'].every(command => hasVersion(printed(command, ['-version']), 17)) &&
    hasVersion(printed('mvn', ['-version']), 3),
)

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millhand-servers')

/**
 * The folder of a server's files: `<cache>/<name>` with the artifacts (`group:name:version`) and what they need in
 * `lib`, and what `complete` adds. Made once, whole or not at all, also when several tests ask at the same time.
 */
export async function installed(
  name: string,
  artifacts: readonly string[],
  complete: (folder: string) => Promise<void> = async () => {},
): Promise<string> {
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const making = await mkdtemp(`${folder}.making-`)
  try {
    await writeFile(join(making, 'pom.xml'), pom(artifacts))
    await run('mvn', ['-q', '-B', '-f', join(making, 'pom.xml'), COPY, `-DoutputDirectory=${join(making, 'lib')}`])
    await complete(making)
    await rename(making, folder)
  } catch (error) {
    await rm(making, { recursive: true, force: true })
    if (!existsSync(folder)) throw error // Else another test was faster.
  }
  return folder
}

const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'

function pom(artifacts: readonly string[]): string {
  const dependencies = artifacts.map(artifact => {
    const [group, name, version] = artifact.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`
  })
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>millhand</groupId><artifactId>test-server</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>${dependencies.join('')}</dependencies></project>`
}
