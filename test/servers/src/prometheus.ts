/** Prometheus, which reads the metrics of servers and evaluates rules as it does for an operator, only more often. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasVersion, missing, printed } from './missing.ts'
import { freePort } from './ports.ts'
import { startProcess } from './server-process.ts'

export interface Prometheus extends AsyncDisposable {
  readonly url: string
}

/** `targets` are jobs with the `host:port` of their metrics; `rules` is a file of rules. */
export async function startPrometheus(targets: Readonly<Record<string, string>>, rules: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-prometheus-'))
  const address = `127.0.0.1:${await freePort()}`
  const config = join(folder, 'prometheus.json') // JSON is YAML.
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '3s', evaluation_interval: '3s' },
      rule_files: [rules],
      scrape_configs: Object.entries(targets).map(([job, target]) => ({
        job_name: job,
        static_configs: [{ targets: [target] }],
      })),
    }),
  )
  const words = [
    ...[`--config.file=${config}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`],
    '--enable-feature=exemplar-storage',
  ]
  const running = await startProcess(address, () => ['prometheus', ...words], /Server is ready to receive web requests/)
  return {
    url: `http://${address}`,
    async [Symbol.asyncDispose]() {
      await running.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Debian's package has `promtool` as well. */
export const prometheusMissing = (): string | false =>
  missing('needs Prometheus 2.40 or later (Debian: prometheus)', () =>
    ['prometheus', 'promtool'].every(name =>
      hasVersion(printed(name, ['--version']).replace(`${name}, version`, ''), 2, 40),
    ),
  )
