import { isMainThread, Worker, workerData } from 'node:worker_threads'

/** How often to look whether the parent process is still there, in milliseconds. */
const PARENT_WATCH_MS = 500

/**
 * Calls back when the parent process has ended, or the one named. A forked sibling may hold the pipe open, so the
 * end of input alone does not tell; and the parent may have ended before this process could look for the first
 * time, so its number alone does not either.
 */
export function watchParent(pid: number | undefined, onDeath: () => void): void {
  const parent = process.ppid
  // Parent 0 is in another process namespace, where the number given means nothing.
  const watched = parent === 0 ? undefined : pid
  setInterval(() => {
    if (process.ppid !== parent || (watched !== undefined && !isAlive(watched))) onDeath()
  }, PARENT_WATCH_MS).unref()
}

/** What the main thread hands to the thread that watches for it. */
interface WatchData {
  readonly watchParentPid: number | undefined
}

/**
 * The same for a process whose main thread blocks: another thread of the same program watches, and kills the
 * process. `file` is the program; it must call `isWatchThread` before anything else.
 */
export function watchParentFromThread(pid: number | undefined, file: string): void {
  const data: WatchData = { watchParentPid: pid }
  new Worker(file, { workerData: data }).unref()
}

/** Whether this is the watching thread; if so, it is at work already. */
export function isWatchThread(): boolean {
  if (isMainThread || typeof workerData !== 'object' || !('watchParentPid' in workerData)) return false
  const { watchParentPid } = workerData as WatchData
  watchParent(watchParentPid, () => process.kill(process.pid, 'SIGKILL'))
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
