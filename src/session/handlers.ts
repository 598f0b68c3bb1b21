import { EnvError, envError } from '../env/env-error.ts'
import { afterstates } from './afterstates.ts'
import { explain, getActionMask, play, render } from './inspect.ts'
import { listGames, makeEnv } from './make-env.ts'
import type { AnyResponse, CallName, Calls } from './message-types.ts'
import { loadReplay, saveReplay, verifyReplay } from './replays.ts'
import { reset } from './reset.ts'
import type { Host, Session } from './session.ts'
import { step } from './step.ts'

type Handler<Name extends CallName> = (session: Session, request: Calls[Name][0]) => Calls[Name][1]

/** One function a call. Each parses and checks the whole request, then applies it; it throws EnvError. */
export const HANDLERS: { readonly [Name in CallName]: Handler<Name> } = {
  listGames,
  makeEnv,
  reset,
  step,
  getActionMask,
  explain,
  play,
  render,
  afterstates,
  saveReplay,
  verifyReplay,
  loadReplay,
  closeEnv: (session, request) => {
    session.remove(request.envId)
    return {}
  },
}

/** Answers one call; throws EnvError and nothing else. */
export function handle(session: Session, name: CallName, request: object): AnyResponse {
  try {
    return (HANDLERS[name] as (session: Session, request: object) => AnyResponse)(session, request)
  } catch (fault) {
    throw toEnvError(fault, session.host)
  }
}

/** A fault that is not the request's is logged, and told without detail. */
export function toEnvError(fault: unknown, host: Host): EnvError {
  if (fault instanceof EnvError) return fault
  host.logFault(fault)
  return envError('INTERNAL', 'the server failed on this request; its log says more')
}
