import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { chromium as browser, chromiumMissing, python, pythonMissing } from '@millhand/test-servers'
import { chromium } from 'playwright-core'
import { blocks } from './documents.ts'
import { repository, type Server, startServer } from './server.ts'

// The `sh` blocks are run by readme.test.ts, with those of all other documents.
const examples = blocks(readFileSync(join(repository, 'docs/streaming.md'), 'utf8'))
const receipt = `data:image/png;base64,${readFileSync(join(repository, 'test/fixtures/receipt.png'), 'base64')}`
const typescript = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-']

let server: Server
before(async () => {
  server = await startServer()
})
after(() => server.stop())

test('the TypeScript of docs/streaming.md prints the lines as they are read, then the end', async () => {
  const task = await startReading()
  await sameAsOutput(task, await run(process.execPath, typescript, example('ts'), task))
})

test('so does the Python', { skip: pythonMissing('httpx') }, async () => {
  const task = await startReading()
  await sameAsOutput(task, await run(python, ['-'], example('python'), task))
})

test('and the page in Chromium, from another origin, with a token in the place of a key', {
  skip: chromiumMissing(),
}, async () => {
  const task = await startReading()
  const { body } = await server.request('POST', `/v1/tasks/${task}/stream_token`)
  const page = createServer((_req, res) => {
    res.setHeader('content-type', 'text/html').end(example('html'))
  }).listen(0, '127.0.0.1')
  await once(page, 'listening')
  const options = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update']
  const chrome = await chromium.launch({ executablePath: browser, args: [...options, '--disable-sync'] })
  try {
    const tab = await chrome.newPage()
    const { port } = page.address() as AddressInfo
    await tab.goto(`http://127.0.0.1:${port}/#${new URLSearchParams({ task, token: body.token })}`)
    await tab.getByText(/\b(succeeded|failed)$/).waitFor({ timeout: 300_000 })
    await sameAsOutput(task, (await tab.locator('#lines').textContent()) ?? '')
  } finally {
    await chrome.close()
    page.close()
  }
})

const event = (id: number, type: string, fields: object) =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const line = (id: number, text: string) => event(id, 'task.output', { output: { text } })
const end = event(4, 'task.succeeded', { task: { status: 'succeeded' } })
const upTo = (text: string, part: string) => text.slice(0, text.indexOf(part))

/** What a server sends to one reader after the other before it breaks off: all that the last one gets is whole. */
const breaking: readonly [says: string, answers: readonly [after: string | undefined, sent: string][]][] = [
  [
    'inside an event',
    [
      [undefined, `retry: 10\n\n${line(1, 'one')}${upTo(line(2, 'two'), 'data:')}`],
      ['1', `:\n\n${upTo(line(2, 'two'), 'two')}`],
      ['1', `${line(2, 'two')}id: 3\n`],
      ['2', `${line(3, 'three')}${end}`],
    ],
  ],
  [
    'after the id of the end',
    [
      [undefined, `retry: 10\n\n${line(1, 'one')}${line(2, 'two')}${line(3, 'three')}${upTo(end, 'event:')}`],
      ['3', upTo(end, '\n\n')],
      ['3', end],
    ],
  ],
]

const readers: readonly [name: string, read: (url: string) => Promise<string>, skip: string | false][] = [
  ['TypeScript', url => run(process.execPath, typescript, example('ts', url)), false],
  ['Python', url => run(python, ['-'], example('python', url)), pythonMissing('httpx')],
]

for (const [name, read, skip] of readers) {
  for (const [says, answers] of breaking) {
    test(`a stream that breaks ${says} is read whole, each event once: ${name}`, { skip }, async () => {
      const asked: unknown[] = []
      const served = await serveOnce(after => {
        asked.push(after)
        return answers[asked.length - 1]?.[1]
      })
      try {
        assert.equal(await read(served.url), 'one\ntwo\nthree\nsucceeded\n')
        assert.deepEqual(
          asked,
          answers.map(([after]) => after),
        )
      } finally {
        served.close()
      }
    })
  }

  test(`who is told that nothing comes any more reads no further: ${name}`, { skip }, async () => {
    let asked = 0
    const served = await serveOnce(() => (++asked === 1 ? `retry: 10\n\n${line(1, 'one')}` : undefined))
    try {
      assert.match(await read(served.url), /^one\n/)
      assert.equal(asked, 2)
    } finally {
      served.close()
    }
  })
}

/** A server that sends to each reader what `next` says and breaks off; 204 where that is nothing. */
async function serveOnce(next: (lastEventId: string | undefined) => string | undefined) {
  const breaks = createServer(({ headers }, res) => {
    const text = next(headers['last-event-id'] as string | undefined)
    if (text === undefined) return void res.writeHead(204).end()
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write(text, () => res.destroy())
  }).listen(0, '127.0.0.1')
  await once(breaks, 'listening')
  const { port } = breaks.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      breaks.close()
      breaks.closeAllConnections()
    },
  }
}

/** A task that reads a picture. */
async function startReading(): Promise<string> {
  const json = { type: 'inference', model: 'pp-ocr-v4', input: receipt }
  const { status, body } = await server.request('POST', '/v1/tasks', { json })
  assert.equal(status, 201)
  return body.id
}

/** What was printed: each line of the task's output once, in whatever order it was read, and then its state. */
async function sameAsOutput(task: string, printed: string): Promise<void> {
  const { body } = await server.request('GET', `/v1/tasks/${task}`)
  const lines = printed.trim().split('\n')
  assert.equal(lines.pop(), 'succeeded')
  const read = body.output.lines.map((line: { text: string }) => line.text)
  assert.deepEqual(lines.toSorted(), read.toSorted())
}

function example(language: string, url = server.url): string {
  const found = examples.filter(block => block.language === language)
  assert.equal(found.length, 1, `one block of ${language}`)
  return String(found[0]?.code).replaceAll('http://127.0.0.1:8080', url)
}

async function run(command: string, words: readonly string[], code: string, task = 'a'): Promise<string> {
  const child = spawn(command, words, {
    cwd: join(repository, 'test/e2e'),
    env: { PATH: process.env.PATH, MILLHAND_KEY: server.key, TASK: task },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    errors += text
  })
  child.stdin.end(code)
  const [exit] = await once(child, 'close')
  assert.equal(exit, 0, errors)
  return output
}
