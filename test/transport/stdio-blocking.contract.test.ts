import { startBlockingStdio } from './connect.ts'
import { sessionContract } from './session-contract.ts'

sessionContract('stdio without an event loop', startBlockingStdio)
