/** Prints how many tokens each text has by the tokenizer of a file, its marks read as such. Called as a process. */
import { getLlama } from 'node-llama-cpp'

const [file = '', ...texts] = process.argv.slice(2)
const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false })
const model = await llama.loadModel({ modelPath: file, vocabOnly: true })
process.stdout.write(JSON.stringify(texts.map(text => model.tokenize(text, true).length)))
await llama.dispose()
