import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { curlMissing } from '@millhand/test-servers'
import { blocks, faultsOf, shapeFaults } from './documents.ts'
import { temporaryFolder } from './server.ts'

const skip = curlMissing()
const place = { folder: temporaryFolder('millhand-e2e-'), url: 'http://127.0.0.1:4711' }

test('blocks are found with their language, flags, line and the paragraph before them', () => {
  const found = blocks(
    ['# Title', '', 'Do this:', '```sh no-run', 'rm x', '```', '', 'It answers', '', '```json', '{}', '```'].join('\n'),
  )
  assert.deepEqual(found, [
    { language: 'sh', flags: ['no-run'], code: 'rm x', line: 5, before: 'Do this:' },
    { language: 'json', flags: [], code: '{}', line: 11, before: 'It answers' },
  ])
})

test('blocks run in one shell, at the server that stands for the default address', async () => {
  const document = [
    '```sh',
    'id=7',
    '```',
    '```sh',
    `echo "{\\"id\\":\\"$id\\",\\"url\\":\\"http://127.0.0.1:8080\\"}" > seen`,
    '```',
    '```sh no-run',
    'exit 1',
    '```',
    '```sh',
    'cat seen',
    '```',
    'which answers:',
    '',
    '```json',
    '{"id": "3", "url": "…"}',
    '```',
    '```sh',
    '[ "$(cat seen)" = \'{"id":"7","url":"http://127.0.0.1:4711"}\' ]',
    '```',
  ]
  assert.deepEqual(await faultsOf(document.join('\n'), place), [])
})

test('a block that fails is named by its line', async () => {
  const [fault] = await faultsOf(['```sh', 'true', '```', '```sh', 'echo oops >&2; false', '```'].join('\n'), place)
  assert.match(String(fault), /^line 5: exit code 1\noops/)
})

test('an answer that lacks what the document shows is a fault', async () => {
  const document = ['```sh', `echo '{"a":1}'`, '```', 'answers', '```json', '{"a": "one", "b": 2}', '```'].join('\n')
  assert.deepEqual(await faultsOf(document, place), ['line 6: a is number and not string', 'line 6: .b is not there'])
})

test('a call that is answered 400 or more is a fault, whatever the shell makes of it', { skip }, async t => {
  const server = createServer((_, response) => response.writeHead(404).end('{"status":404}')).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const place = { folder: temporaryFolder('millhand-e2e-'), url: `http://127.0.0.1:${port}` }
  const call = 'curl -s http://127.0.0.1:8080/'
  for (const line of [call, `export X=$(${call})`, `${call} | cat`, `${call} || echo none`]) {
    const [fault] = await faultsOf(`\`\`\`sh\n${line}\n\`\`\``, place)
    assert.match(String(fault), /^line 2: exit code .*curl ended with 22/s, line)
  }
  const shown = (status: number) => `\`\`\`sh\n${call}\n\`\`\`\nIt answers\n\`\`\`json\n{"status":${status}}\n\`\`\``
  assert.deepEqual(await faultsOf(shown(404), place), [])
  assert.deepEqual(await faultsOf(shown(422), place), ['line 6: answered 404'])
})

test('a task that has not ended when its call is answered is waited for', { skip }, async t => {
  const states = ['queued', 'running', 'succeeded']
  const asked: string[] = []
  const server = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`)
    response.end(`{"object":"task","id":"task_a","type":"inference","status":"${states.shift()}"}`)
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const code = [
    'export MILLHAND_KEY=k',
    `ended=$(curl -s http://127.0.0.1:${port}/v1/tasks -H 'Prefer: wait=60' -d @- <<<'{}')`,
    '[[ $ended == *succeeded* ]]',
  ]
  assert.deepEqual(await faultsOf(['```sh', ...code, '```'].join('\n'), place), [])
  assert.deepEqual(asked, ['POST /v1/tasks', 'GET /v1/tasks/task_a', 'GET /v1/tasks/task_a'])
})

test('shapes are compared through lists and objects, values are not', () => {
  assert.deepEqual(shapeFaults({ data: [{ id: 'x', n: 1 }] }, { data: [{ id: 'y', n: 2, more: true }, 3] }, ''), [])
  assert.deepEqual(shapeFaults({ data: [{ id: 'x' }] }, { data: [] }, ''), ['data[0] is not there'])
  assert.deepEqual(shapeFaults([null], [{}], ''), ['[0] is object and not null'])
})
