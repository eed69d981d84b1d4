/** A model that cannot be trained as it is. The message says why and names the node or the tensor. */
export class TrainingRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TrainingRefused'
  }
}
