/** What the model `spin` of the tests takes: the runner of the benchmark does not look at it. */
export const longInput = JSON.stringify({ iterations: { dtype: 'int64', shape: [1], data: [1] } })
