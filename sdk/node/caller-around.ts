import { AsyncLocalStorage } from "node:async_hooks";
import type { Caller } from "../security/scope.ts";

const running = new AsyncLocalStorage<Caller | undefined>();

/**
 * Runs what a request begins, so that all it does, later too, is done for its caller: the host
 * holds every message and decision in it to that caller's scopes. Within another caller's request
 * it has no scope that the outer one lacks; what has no caller keeps none of the outer one's.
 */
export function runForCaller<T>(caller: Caller | undefined, work: () => T): T {
  return running.run(caller && withinCaller({ caller }).caller, work);
}

/**
 * Returns what is said with the caller of the request in which it is said, and without each scope
 * that either caller lacks. Outside of a request it stays as it is.
 */
export function withinCaller<T extends { readonly caller?: Caller }>(said: T): T {
  const around = running.getStore();
  if (!around) return said;
  const may = around.may.filter((scope) => said.caller?.may.includes(scope) ?? true);
  return { ...said, caller: { ...around, may } };
}

/**
 * Returns whose doing something is as the audit names them: the paired device whose request runs,
 * else `owner`.
 */
export function userAround(): string {
  const device = running.getStore()?.device;
  return device === undefined ? "owner" : `http:${device}`;
}
