/** What an image can do that wants to harm: to its host, to the platform on it, and to its neighbours. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { after, before, describe, it } from 'node:test'
import { type Docker, dockerMissing } from '@millhand/test-servers'
import { collected, LIMIT_MS, specOf, until } from '../driver.contract.ts'
import { driverOf, images, startDockerWithImages } from './docker.fixture.ts'
import type { DockerDriver } from './docker-driver.ts'

/** An address of the host, on which the platform listens. */
const PLATFORM = '10.99.0.1'

describe('a hostile image', { skip: dockerMissing }, () => {
  let docker: Docker
  let driver: DockerDriver
  let platform: ReturnType<typeof spawn>
  let connections = ''
  let neighbour: string
  const signal = () => AbortSignal.timeout(LIMIT_MS)

  /** Runs the script as a replica of a tenant of its own, until it ends or says `done`; then removes it. */
  async function attack(script: string, look: (name: string) => Promise<void> = async () => {}) {
    const spec = specOf({ images }, { tenant: 'acct_evil/live', command: ['sh', '-c', script] })
    await driver.create(spec, { signal: signal() })
    const lines: string[] = []
    for await (const { text } of driver.logs(spec.name, { follow: true }, signal())) {
      lines.push(text)
      if (text === 'done') break
    }
    await look(spec.name)
    const replica = (await driver.list(signal())).replicas.find(({ name }) => name === spec.name)
    await driver.remove({ name: spec.name }, signal())
    assert.ok(!(await driver.list(signal())).replicas.some(({ name }) => name === spec.name), 'it is removed')
    return { lines, replica }
  }

  before(async () => {
    docker = await startDockerWithImages()
    driver = driverOf([docker])
    const [command, ...words] = docker.inNetwork(
      'sh',
      '-c',
      `ip addr add ${PLATFORM}/32 dev lo && exec "$0" -e '${LISTEN}'`,
      process.execPath,
    )
    platform = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    platform.stdout?.setEncoding('utf8').on('data', text => {
      connections += text
    })
    await once(platform.stdout as NonNullable<typeof platform.stdout>, 'data') // It listens.
    connections = ''
    const spec = specOf({ images }, { tenant: 'acct_good/live' })
    await driver.create(spec, { signal: signal() })
    neighbour = spec.name
  })
  after(async () => {
    platform?.kill('SIGKILL')
    await driver?.[Symbol.asyncDispose]()
    await docker?.[Symbol.asyncDispose]()
  })

  it('that forks without end gets the processes of its replica, and no more', async () => {
    const { lines } = await attack(
      '(while :; do sleep 1000 & done) 2>/tmp/said; read -r said </tmp/said; echo "$said"; echo done; exec sleep 1000',
      async name => {
        const processes = (await docker.docker('top', name)).trim().split('\n').length - 1
        assert.ok(processes <= 32, `${processes} processes`)
      },
    )
    assert.match(lines[0] ?? '', /fork/)
  })

  it('that eats memory is ended, and nothing else is', async () => {
    const { replica } = await attack('x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done')
    assert.equal(replica?.reason, 'out_of_memory')
  })

  it('that fills what it can write fills its own memory, not the disk', async () => {
    const used = async () => {
      const { blocks, bfree, bsize } = await statfs(tmpdir())
      return (blocks - bfree) * bsize
    }
    const before = await used()
    const fill = ['/', '/tmp', '/run', '/var/tmp', '/dev/shm', '/dev', '/data', '/etc', '/proc', '/sys']
      .map(folder => `dd if=/dev/zero of=${folder}/fill bs=1M count=2000 2>/dev/null`)
      .join('; ')
    await attack(`${fill}; echo done`, async name => {
      const size = await docker.docker('inspect', '--size', '--format', '{{.SizeRw}}', name)
      assert.equal(Number(size), 0, 'nothing is written to the disk')
    })
    // Others use the disk at the same time; the image has tried to write 20 GB.
    assert.ok((await used()) - before < 10e9)
  })

  it('that writes everywhere changes nothing outside of what it may write', async () => {
    const write = `for f in $(find / -xdev 2>/dev/null | head -3000) /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/fs/cgroup/x \
/sys/kernel/uevent_helper /dev/mem /dev/sda /dev/vda; do case $f in /proc/self/*|/proc/[0-9]*|/dev/null|/dev/zero|/dev/full|/dev/tty|/dev/pts*|/dev/*random|/tmp*|/run*|/var/tmp*|/dev/shm*|/dev/std*|/dev/fd*) continue;; esac
[ -f "$f" ] || [ -b "$f" ] || [ -c "$f" ] || continue; (echo x >>"$f") 2>/dev/null && echo "written $f"; done
mount -t proc proc /tmp 2>/dev/null && echo mounted; mknod /tmp/disk b 254 0 2>/dev/null && echo device
chroot /tmp true 2>/dev/null && echo chrooted; hostname evil 2>/dev/null && echo renamed; echo done`
    const { lines } = await attack(write)
    // Its own names of its neighbours are files of its own container.
    assert.deepEqual(
      lines.filter(line => !/^written \/etc\/(hosts|hostname|resolv\.conf)$/.test(line)),
      ['done'],
    )
  })

  it('that looks for the platform and for neighbours finds neither', async () => {
    const [found] = JSON.parse(await docker.docker('inspect', neighbour))
    const [{ IPAddress, Gateway }] = Object.values(found.NetworkSettings.Networks) as [
      { IPAddress: string; Gateway: string },
    ]
    const targets = [
      PLATFORM,
      Gateway,
      IPAddress,
      '127.0.0.1',
      '169.254.169.254',
      '172.17.0.1',
      '172.18.0.1',
      neighbour,
    ]
    const scan = targets
      .flatMap(host => [
        `nc -w 1 ${host} 9000 </dev/null && echo "reached ${host}"`,
        `ping -c 1 -W 1 ${host} >/dev/null && [ ${host} != 127.0.0.1 ] && echo "pinged ${host}"`,
      ])
      .join('; ')
    const { lines } = await attack(
      `exec 2>/dev/null; ${scan}; nslookup example.com 127.0.0.11 | grep -q 'Address: [0-9.]*$' && echo resolved; echo done`,
    )
    assert.deepEqual(lines, ['done'])
    assert.equal(connections, '')
  })

  it('that sends signals to everything and hears none ends with its replica', async () => {
    await attack(
      'trap "" TERM INT HUP QUIT; for s in TERM INT HUP USR1 KILL; do kill -$s -1; i=2; while [ $i -lt 200 ]; do kill -$s $i; i=$((i+1)); done; done 2>/dev/null; echo done; while :; do sleep 0.1; done',
    )
  })

  it('has done its neighbours no harm', async () => {
    const [replica] = await until(driver, ([found]) => found !== undefined)
    assert.equal(replica?.name, neighbour)
    assert.equal(replica?.state, 'running')
    const lines = await collected(driver.logs(neighbour, { follow: false }, signal()))
    assert.deepEqual(
      lines.map(({ text }) => text),
      ['started'],
    )
  })
})

const LISTEN = `require("node:net").createServer(socket => { console.log(socket.remoteAddress); socket.destroy() }).listen(9000, "0.0.0.0", () => console.log("listening"))`
