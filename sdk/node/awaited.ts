import type { Awaitable } from "../contract/awaitable.ts";

/** Returns true for what answers later. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof (value as PromiseLike<T> | undefined)?.then === "function";
}

/** Hands a value on, at once if it is there. */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** Returns the values, at once if all are there. */
export function together<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return values.some(isPromise) ? Promise.all(values) : (values as readonly T[]);
}
