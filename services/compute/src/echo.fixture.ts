import type { Catalogue } from '@millhand/model'
import { textModel } from '@millhand/model/fixture'

const echo = textModel('echo')

export const echoModel: Catalogue = { get: id => (id === 'echo' ? echo : undefined), list: () => [echo] }
