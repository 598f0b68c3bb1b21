import { EnvError, envError } from '../env/env-error.ts'
import { finish, type Slices } from '../env/slices.ts'
import { afterstates } from './afterstates.ts'
import { explain, getActionMask, play, render } from './inspect.ts'
import { listGames, makeEnv } from './make-env.ts'
import type { AnyResponse, CallName, Calls } from './message-types.ts'
import { loadReplay, saveReplay, verifyReplay } from './replays.ts'
import { reset } from './reset.ts'
import type { Host, Session } from './session.ts'
import { step } from './step.ts'

type Handler<Name extends CallName> = (session: Session, request: Calls[Name][0]) => Calls[Name][1]

type SlicedHandler<Name extends CallName> = (
  session: Session,
  request: Calls[Name][0],
) => Slices<Calls[Name][1]>

/** The calls that can take long: work on many rows, or on a long replay. */
const SLICED = {
  reset,
  step,
  getActionMask,
  explain,
  afterstates,
  saveReplay,
  verifyReplay,
  loadReplay,
} satisfies { readonly [Name in CallName]?: SlicedHandler<Name> }

/** One function a call. Each parses and checks the whole request, then applies it; it throws EnvError. */
export const HANDLERS: { readonly [Name in CallName]: Handler<Name> } = {
  listGames,
  makeEnv,
  reset: atOnce<'reset'>(reset),
  step: atOnce<'step'>(step),
  getActionMask: atOnce<'getActionMask'>(getActionMask),
  explain: atOnce<'explain'>(explain),
  play,
  render,
  afterstates: atOnce<'afterstates'>(afterstates),
  saveReplay: atOnce<'saveReplay'>(saveReplay),
  verifyReplay: atOnce<'verifyReplay'>(verifyReplay),
  loadReplay: atOnce<'loadReplay'>(loadReplay),
  closeEnv: (session, request) => {
    session.remove(request.envId)
    return {}
  },
}

function atOnce<Name extends CallName>(handler: SlicedHandler<Name>): Handler<Name> {
  return (session, request) => finish(handler(session, request))
}

/** Answers one call; throws EnvError and nothing else. */
export function handle(session: Session, name: CallName, request: object): AnyResponse {
  return finish(handleInSlices(session, name, request))
}

/** The same in slices. The session must be given no other call before the last of them. */
export function* handleInSlices(session: Session, name: CallName, request: object): Slices<AnyResponse> {
  try {
    if (name in SLICED) {
      const handler = SLICED[name as keyof typeof SLICED] as (
        session: Session,
        request: object,
      ) => Slices<AnyResponse>
      return yield* handler(session, request)
    }
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
