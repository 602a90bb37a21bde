/** The capabilities that a session is asked for: no way out but the proxy, and no questions. */
interface Wanted {
  /** `host:port` */
  readonly proxy: string;
  readonly timeoutMs: number;
  /** Those of the configuration; where both name something, the service's own stands. */
  readonly given: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Datagrams go nowhere, names are looked up by the proxy alone, and nothing is saved. */
const CHROMIUM: Fields = {
  args: ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
  prefs: { "webrtc.ip_handling_policy": "disable_non_proxied_udp", download_restrictions: 3 },
};
const FIREFOX: Fields = {
  prefs: {
    "media.peerconnection.enabled": false,
    "network.dns.disablePrefetch": true,
    "network.proxy.allow_hijacking_localhost": true,
  },
};
/** A driver passes over what is for others. */
const OWN: Readonly<Record<string, Fields>> = {
  "goog:chromeOptions": CHROMIUM,
  "ms:edgeOptions": CHROMIUM,
  "moz:firefoxOptions": FIREFOX,
};

/** The capabilities of a new session, as the W3C protocol has them. */
export function capabilitiesOf({ proxy, timeoutMs, given }: Wanted): Fields {
  const options = Object.entries(OWN).map(([vendor, own]) => [vendor, merged(given[vendor], own)]);
  return {
    ...given,
    ...Object.fromEntries(options),
    proxy: { proxyType: "manual", httpProxy: proxy, sslProxy: proxy, noProxy: ["<-loopback>"] },
    unhandledPromptBehavior: "dismiss and notify",
    timeouts: { pageLoad: timeoutMs, script: timeoutMs, implicit: 0 },
  };
}

/** Lists one after the other, since of two switches the later counts; tables key by key. */
function merged(given: unknown, own: Fields): Fields {
  const theirs: Fields = isTable(given) ? given : {};
  const both = Object.entries(own).map(([name, value]) => {
    const before = theirs[name];
    if (Array.isArray(value)) return [name, [...(Array.isArray(before) ? before : []), ...value]];
    return [name, { ...(isTable(before) && before), ...(value as Fields) }];
  });
  return { ...theirs, ...Object.fromEntries(both) };
}

const isTable = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
