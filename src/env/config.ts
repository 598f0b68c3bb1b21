import { envError } from './env-error.ts'
import type { Config, ConfigKey, ConfigSchema } from './game.ts'

/** Checks the text values of a configuration and fills in defaults; throws INVALID_ARGUMENT for a bad one. */
export function parseConfig(schema: ConfigSchema, given: { readonly [key: string]: string }): Config {
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(schema, key)) {
      const allowed = Object.keys(schema)
      throw envError(
        'UNKNOWN_CONFIG_KEY',
        `config has no key ${quote(key)}; allowed: ${allowed.length > 0 ? allowed.join(', ') : 'none'}`,
        { field: 'config' },
      )
    }
  }
  const config: Record<string, number | boolean | string> = {}
  for (const [key, spec] of Object.entries(schema)) {
    const text = Object.hasOwn(given, key) ? given[key] : undefined
    config[key] = text === undefined ? spec.default : parseValue(key, spec, text)
  }
  return config
}

function parseValue(key: string, spec: ConfigKey, text: string): number | boolean | string {
  switch (spec.type) {
    case 'boolean':
      if (text === 'true') return true
      if (text === 'false') return false
      throw badValue(key, text, 'true or false')
    case 'choice':
      if (spec.values.includes(text)) return text
      throw badValue(key, text, `one of ${spec.values.join(', ')}`)
    case 'integer': {
      const value = /^(0|-?[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN
      if (value >= spec.min && value <= spec.max) return value
      throw badValue(key, text, `an integer from ${spec.min} to ${spec.max}`)
    }
  }
}

function badValue(key: string, text: string, allowed: string) {
  return envError('BAD_CONFIG_VALUE', `config.${key} is ${quote(text)}; allowed: ${allowed}`, {
    field: `config.${key}`,
  })
}

/** A value in double quotes for a message, clipped to 64 characters. */
export function quote(text: string): string {
  return JSON.stringify(clip(text))
}

/** A text for a message, clipped to 64 characters. */
export function clip(text: string): string {
  return text.length > 64 ? `${text.slice(0, 63)}…` : text
}
