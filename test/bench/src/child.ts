/** A process of the benchmark's own that answers one question at a time: what is measured never shares its processor time. */
import { type ChildProcess, fork } from 'node:child_process'
import { nodeFlags } from './node-command.ts'

export interface Child<Question, Answer> extends AsyncDisposable {
  readonly pid: number
  /** Rejects with the child's error, or when it ends before it answers. */
  ask(question: Question): Promise<Answer>
}

type Reply<Answer> = { readonly answer: Answer } | { readonly error: string }

/** Starts the module at `url`, which calls `answerQuestions`. Disposing ends the process and waits for its end. */
export function startChild<Question, Answer>(url: URL): Child<Question, Answer> {
  const child = fork(url, { execArgv: nodeFlags })
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()))
  return {
    pid: child.pid as number,
    ask: question => ask(child, question),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

function ask<Question, Answer>(child: ChildProcess, question: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`the process ${child.spawnfile} ended without an answer`))
    child.once('exit', onExit)
    child.once('message', (reply: Reply<Answer>) => {
      child.off('exit', onExit)
      if ('answer' in reply) resolve(reply.answer)
      else reject(new Error(reply.error))
    })
    child.send(question as object)
  })
}

/** The child's side: answers its parent until the parent is gone. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Promise<Answer> | Answer): void {
  process.on('disconnect', () => process.exit())
  process.on('message', (question: Question) => {
    void reply(answer, question).then(message => process.send?.(message))
  })
}

async function reply<Question, Answer>(
  answer: (question: Question) => Promise<Answer> | Answer,
  question: Question,
): Promise<Reply<Answer>> {
  try {
    return { answer: await answer(question) }
  } catch (cause) {
    return { error: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }
  }
}
