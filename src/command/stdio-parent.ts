import { isMainThread, Worker, workerData } from 'node:worker_threads'

/** How often to look whether the parent process is still there, in milliseconds. */
const PARENT_WATCH_MS = 500

/**
 * Calls back when the parent process has ended, or the one named. A forked sibling may hold the pipe open, so the
 * end of input alone does not tell; and the parent may have ended before this process could look for the first
 * time, so its number alone does not either.
 * `parent` is the parent when the program began.
 */
export function watchParent(pid: number | undefined, onDeath: () => void, parent = process.ppid): void {
  // Parent 0 is in another process namespace, where the number given means nothing.
  const watched = parent === 0 ? undefined : pid
  setInterval(() => {
    if (process.ppid !== parent || (watched !== undefined && !isAlive(watched))) onDeath()
  }, PARENT_WATCH_MS).unref()
}

/** What the main thread hands to the thread that watches for it. */
interface WatchData {
  /** The parent when the program began; it may be another one by the time the thread does. */
  readonly watchParent: number
  readonly pid: number | undefined
  readonly graceMs: number
}

/**
 * The same for a process whose main thread blocks or may be busy: another thread of the same program watches, and
 * kills the process `graceMs` after the parent has ended. `file` is the program; it must call `isWatchThread` before
 * anything else.
 */
export function watchParentFromThread(pid: number | undefined, file: string, graceMs = 0): void {
  const data: WatchData = { watchParent: process.ppid, pid, graceMs }
  new Worker(file, { workerData: data }).unref()
}

/** Whether this is the watching thread; if so, it is at work already. */
export function isWatchThread(): boolean {
  if (isMainThread || typeof workerData !== 'object' || !('watchParent' in workerData)) return false
  const { watchParent: parent, pid, graceMs } = workerData as WatchData
  watchParent(pid, () => setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMs), parent)
  setInterval(() => undefined, 2 ** 30)
  return true
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
