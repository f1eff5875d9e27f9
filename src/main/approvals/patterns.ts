import type { Field, FieldValue } from '../../shared/form/field.ts';
import { compilePattern } from '../preflight/index.ts';

/**
 * Whether every text fits the pattern its field came with. A pattern is the target's own text: it runs on the engine whose time is linear, and one
 * that engine has no form for is left for the target to judge.
 */
export const fitsPatterns = (fields: readonly Field[], values: readonly FieldValue[]): boolean =>
  fields.every((field, index) => {
    const value = values[index];
    if (field.kind !== 'text' || field.pattern === null || typeof value !== 'string' || value === '') return true;
    const compiled = compilePattern(`(?-i)${field.pattern}`);
    return !compiled.ok || compiled.value.find(value) !== undefined;
  });
