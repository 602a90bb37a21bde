import { errors } from "../contract/codes.ts";

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the base address of a platform without a slash at its end. Throws CHANNEL_INSECURE_URL
 * for one that is neither https nor, if that is allowed, this machine.
 */
export function platformAddress(key: string, address: string, allowInsecureLoopback: boolean): string {
  const url = URL.parse(address);
  const isLocal = loopback.test(url?.hostname ?? "");
  const isSecure =
    url?.protocol === "https:" || (url?.protocol === "http:" && isLocal && allowInsecureLoopback);
  if (!url || !isSecure) {
    const shown = url ? `${url.protocol}//${url.host}` : "no address";
    throw errors.CHANNEL_INSECURE_URL(key, shown);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
