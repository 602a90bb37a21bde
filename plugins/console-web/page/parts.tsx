import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { asFailure, type Failure } from "./failure.ts";
import { texts } from "./texts.ts";

/** The state of what a view asked for. */
export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly failure: Failure }
  | { readonly state: "there"; readonly value: T };

export interface Load<T> {
  readonly at: Signal<Loaded<T>>;
  again(): void;
}

/** Asks for something when the view is shown, and again when `key` changes. */
export function useLoad<T>(ask: () => Promise<T>, key: string = ""): Load<T> {
  const at = useSignal<Loaded<T>>({ state: "loading" });
  const turn = useSignal(0);
  const number = turn.value;
  useEffect(() => {
    let isOld = false;
    ask().then(
      (value) => void (isOld || (at.value = { state: "there", value })),
      (error: unknown) => void (isOld || (at.value = { state: "failed", failure: asFailure(error) })),
    );
    return () => void (isOld = true);
  }, [key, number]);
  return { at, again: () => void (turn.value += 1) };
}

/** Work that a press asks for, while it is done and once it has failed. */
export interface Deed {
  readonly isBusy: Signal<boolean>;
  readonly failure: Signal<string>;
  run(work: () => Promise<unknown>): Promise<void>;
}

export function useDeed(): Deed {
  const isBusy = useSignal(false);
  const failure = useSignal("");
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    [isBusy.value, failure.value] = [true, ""];
    await work().catch((error: unknown) => (failure.value = texts.failed(asFailure(error).message)));
    isBusy.value = false;
  };
  return { isBusy, failure, run };
}

/** Returns what a form does as its deed when it is sent. */
export const submitted =
  (deed: Deed, work: () => Promise<unknown>) =>
  (event: Event): void => {
    event.preventDefault();
    void deed.run(work);
  };

/** Says why a deed did not work: the one way in which a press tells of an error. */
export function Wrong({ deed: { failure } }: { readonly deed: Deed }) {
  if (failure.value === "") return null;
  return (
    <p role="alert" class="plain-text">
      {failure}
    </p>
  );
}

interface WhenProps<T> {
  readonly load: Load<T>;
  readonly scope: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows what was loaded, or why it is not there. */
export function When<T>({ load, scope, children }: WhenProps<T>) {
  const now = load.at.value;
  if (now.state === "loading") return <Busy />;
  if (now.state === "there") return <>{children(now.value)}</>;
  return <Failed failure={now.failure} scope={scope} again={load.again} />;
}

export function Busy({ text = texts.loading }: { readonly text?: string }) {
  return (
    <p class="busy" role="status">
      <span class="spinner" aria-hidden="true" /> {text}
    </p>
  );
}

interface FailedProps {
  readonly failure: Failure;
  readonly scope: string;
  readonly again?: () => void;
}

export function Failed({ failure, scope, again }: FailedProps) {
  if (failure.code === "SCOPE_MISSING")
    return <Empty title={texts.scope(scope)} hint={texts.scopeCure(scope)} icon="◇" />;
  return (
    <div class="failed" role="alert">
      <p>{texts.failed(failure.message)}</p>
      {again && (
        <button type="button" onClick={again}>
          {texts.retry}
        </button>
      )}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly hint?: string;
  readonly icon?: string;
  readonly children?: ComponentChildren;
}

export function Empty({ title, hint, icon = "○", children }: EmptyProps) {
  return (
    <div class="empty">
      <span class="empty-icon" aria-hidden="true">
        {icon}
      </span>
      <p class="empty-title">{title}</p>
      {hint !== undefined && <p class="quiet">{hint}</p>}
      {children}
    </div>
  );
}

/** Shows the fields of an object by their names; a value that is not a text as JSON. */
export function Facts({ of }: { readonly of: object }) {
  return (
    <dl class="facts">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Badge({ kind, children }: { readonly kind: string; readonly children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

interface ViewProps {
  readonly title: string;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page with its heading, which gets the focus when the page is shown. */
export function View({ title, tools, children }: ViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${texts.name}`;
    if (document.activeElement === document.body || document.activeElement?.closest("nav"))
      heading.current?.focus();
  }, [title]);
  return (
    <div class="view">
      <header class="view-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <div class="tools">{tools}</div>
      </header>
      {children}
    </div>
  );
}

interface SureProps {
  readonly title: string;
  readonly hint: string;
  readonly yes: string;
  readonly act: () => Promise<unknown>;
  readonly done: () => void;
}

/** Asks before something cannot be taken back; the focus is on what changes nothing. */
export function Sure({ title, hint, yes, act, done }: SureProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const deed = useDeed();
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    no.current?.focus();
  }, []);
  const go = () => deed.run(() => act().then(done));
  return (
    <dialog
      ref={dialog}
      role="alertdialog"
      aria-labelledby="sure"
      aria-describedby="sure-hint"
      onClose={done}
    >
      <h2 id="sure">{title}</h2>
      <p id="sure-hint">{hint}</p>
      <Wrong deed={deed} />
      <div class="row end">
        <button type="button" ref={no} onClick={done}>
          {texts.cancel}
        </button>
        <button type="button" class="danger" disabled={deed.isBusy.value} onClick={() => void go()}>
          {yes}
        </button>
      </div>
    </dialog>
  );
}
