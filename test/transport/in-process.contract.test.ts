import { startInProcess } from './connect.ts'
import { sessionContract } from './session-contract.ts'

sessionContract('no wire', startInProcess)
