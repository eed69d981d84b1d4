/** Whether a model can be trained, as far as its file tells. */

/**
 * Why the model cannot be trained, naming the operator; undefined where it can. For create and for the model's record:
 * it reads the file and runs nothing. What depends on shapes is found where the run begins (`TrainingRefused`).
 */
export function whyNotTrainable(_bytes: Uint8Array): string | undefined {
  throw new Error('not there yet')
}
