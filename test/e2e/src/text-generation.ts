/** A models folder with the small language model, as `deploy/optional-models/smollm2-135m/install.sh` makes it. */
import { copyFileSync, linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { smallModel } from '@millhand/gguf/fixture'
import { repository, temporaryFolder } from './server.ts'

export function textModels(): string {
  const folder = temporaryFolder('millhand-text-models-')
  const manifests = join(repository, 'deploy/optional-models/smollm2-135m')
  const [first = '', second = ''] = ['instruct', 'chat'].map(name => {
    const model = join(folder, `smollm2-135m-${name}`)
    mkdirSync(model)
    copyFileSync(join(manifests, `${name}.json`), join(model, 'model.json'))
    return join(model, 'model.gguf')
  })
  copyFileSync(smallModel, first)
  linkSync(first, second)
  for (const [name, content] of [
    ['broken-text', `GGUF${'\0'.repeat(100)}`],
    ['no-text', 'no model at all'],
  ] as const) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'model.json'), JSON.stringify({ name, format: 'gguf' }))
    writeFileSync(join(folder, name, 'model.gguf'), content)
  }
  return folder
}
