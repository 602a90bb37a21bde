import type { ShellWord } from "@gantry/sdk";

export function programOf(head: ShellWord | undefined): string {
  return head?.text.replace(/^.*\//s, "").toLowerCase() ?? "";
}

/**
 * The address that a word holds; none where its host is known only at run time, or it is not in
 * full.
 */
export function addressIn({ text, whole }: ShellWord): string[] {
  const [, url] = /^(?:-[a-z]|--[a-z-]+=)?([a-z][a-z0-9+.-]*:\/\/.*)$/is.exec(text) ?? [];
  if (url === undefined) return [];
  // The host of an address that goes on at run time is known once a path has begun.
  const known = whole ? url : /^[^/]*\/\/[^/]+\//.exec(url)?.[0];
  return known === undefined ? [] : [known];
}
