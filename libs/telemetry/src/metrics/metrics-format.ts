/** The formats of `/metrics`, by their content types. */
import { qualities, qualityOf } from '@millhand/api'

export const metricsContentTypes = {
  /** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  /** With exemplars: https://prometheus.io/docs/specs/om/open_metrics_spec/ */
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const

export type MetricsFormat = keyof typeof metricsContentTypes

/** What `Accept` would rather have: as Prometheus and its clients negotiate. */
export function metricsFormat(accept: string | undefined): MetricsFormat {
  const asked = qualities(accept ?? '')
  return qualityOf('application/openmetrics-text', asked) > qualityOf('text/plain', asked)
    ? 'openmetrics'
    : 'prometheus'
}
