/** Metrics of predictions. */
export const CLASS_METRICS = ['accuracy', 'precision', 'recall', 'f1'] as const
export const NUMBER_METRICS = ['mse', 'rmse', 'mae', 'r2'] as const

export type MetricName = (typeof CLASS_METRICS)[number] | (typeof NUMBER_METRICS)[number]
