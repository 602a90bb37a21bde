import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** The place where the reader is: a view of the console and what its address says besides. */
export interface Place {
  readonly view: string;
  readonly query: URLSearchParams;
}

function read(): Place {
  const [, , view = ""] = location.pathname.split("/");
  return { view: view === "" ? "chat" : view, query: new URLSearchParams(location.search) };
}

export const place = signal<Place>(read());

window.addEventListener("popstate", () => (place.value = read()));

export function addressOf(view: string, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `/console/${view}${search === "" ? "" : `?${search}`}`;
}

/** Goes to a view; `replace` leaves no way back. */
export function go(address: string, replace = false): void {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  place.value = read();
}

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** A link within the console: a new tab opens it as any other. */
export function Link({ to, current, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={to} {...rest} onClick={follow} {...(current && { "aria-current": "page" as const })}>
      {children}
    </a>
  );
}
