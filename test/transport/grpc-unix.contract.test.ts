import { startUnix } from './connect.ts'
import { sessionContract } from './session-contract.ts'

sessionContract('gRPC over a unix socket', startUnix)
