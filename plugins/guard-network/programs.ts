import type { ShellWord } from "@gantry/sdk";
import { addressIn } from "./address-in.ts";
import { operandsOf, type KnownOptions } from "./options-read.ts";

/** Returns true if the words lead out to more than addresses that are written in full. */
type LeadsOut = (args: readonly ShellWord[]) => boolean;

const named = (names: string, leads: LeadsOut) => names.split(" ").map((name) => [name, leads] as const);
/** May bring an address of its own. */
const isSeveral = ({ whole, many }: ShellWord): boolean => !whole && many !== false;
const isSaid = (word: ShellWord): boolean => addressIn(word).length > 0;

const curl: KnownOptions = {
  flags: "sSfLkIiOJvgGNRZa46#",
  values: "odHAFuXbcmTwrCey",
  longFlags:
    "url silent show-error fail fail-with-body location insecure head include remote-name remote-header-name " +
    "verbose globoff get no-buffer ipv4 ipv6 compressed create-dirs progress-bar no-progress-meter http1.1 http2",
  longValues:
    "output output-dir data data-raw data-binary data-urlencode json header user-agent form user request cookie " +
    "cookie-jar max-time connect-timeout retry retry-delay retry-max-time write-out upload-file range referer " +
    "max-redirs max-filesize limit-rate",
};
const wget: KnownOptions = {
  flags: "qnvdcNrkpSxF",
  values: "OoaPtTUQwlARIX",
  longFlags:
    "quiet no-verbose verbose continue timestamping recursive convert-links page-requisites server-response spider " +
    "no-check-certificate show-progress no-clobber no-parent content-disposition",
  longValues:
    "output-document output-file append-output directory-prefix tries timeout user-agent header quota wait level " +
    "accept reject post-data post-file method body-data body-file max-redirect",
};

/**
 * A fetcher whose options are known. Its addresses in full are checked as such; anything else may
 * be one too.
 */
function fetches(options: KnownOptions): LeadsOut {
  return (args) => args.some(isSeveral) || operandsOf(args, options)?.every(isSaid) !== true;
}

const always: LeadsOut = (args) =>
  !(args.length === 1 && /^(--version|--help|-V)$/.test(args[0]?.text ?? ""));
const onlyUrls: LeadsOut = (args) => always(args) && !args.every(isSaid);
const withColon: LeadsOut = (args) => args.some(({ text, whole }) => !whole || text.includes(":"));
const withWord =
  (wanted: RegExp): LeadsOut =>
  (args) =>
    args.some(({ text, whole }) => !whole || wanted.test(text));

const plainFetchers = "wget2 aria2c axel http https httpie xh lynx w3m links elinks";
/** Programs whose addresses in full are checked. */
export const fetchers: ReadonlySet<string> = new Set(["curl", "wget", ...plainFetchers.split(" ")]);

/** Programs that reach out, each with what of its words leads out. git has a file of its own. */
export const programs: ReadonlyMap<string, LeadsOut> = new Map([
  ...named("curl", fetches(curl)),
  ...named("wget", fetches(wget)),
  ...named(plainFetchers, onlyUrls),
  ...named(
    "nc ncat netcat nc.openbsd nc.traditional socat telnet ftp lftp ncftp tftp sftp ssh slogin rsh rlogin mosh autossh sshfs curlftpfs " +
      "ping ping6 fping hping3 arping traceroute traceroute6 tracepath mtr nmap masscan dig nslookup host drill delv nsupdate resolvectl " +
      "systemd-resolve avahi-resolve whois finger websocat curlie youtube-dl yt-dlp wscat grpcurl ab hey wrk siege iperf iperf3 rdate ntpdate sntp msmtp sendmail " +
      "swaks ldapsearch ldapmodify smbclient snmpget snmpwalk rpcinfo showmount ssh-keyscan rclone aws gcloud az gsutil s3cmd gh glab " +
      "heroku vercel netlify flyctl wrangler skopeo crane oras psql pg_dump pg_restore mysql mysqldump mysqladmin mariadb mariadb-dump " +
      "redis-cli mongosh mongo mongodump cqlsh clickhouse-client influx etcdctl consul vault nats mosquitto_pub mosquitto_sub",
    always,
  ),
  ...named("scp rcp rsync", withColon),
  ...named("openssl", withWord(/^-?(s_client|s_server|s_time|ocsp|cmp)$/)),
  ...named("getent", withWord(/^(a?hosts(v[46])?|networks)$/)),
  ...named("gpg gpg2", withWord(/^--(recv|send|refresh|search|key|locate|auto|fetch)/)),
  ...named("logger", withWord(/^(-[a-zA-Z]*[nPT]|--(server|udp|tcp|port))/)),
  ...named("apt apt-get aptitude", withWord(/^(update|download|source|changelog)$/)),
  ...named(
    "svn",
    withWord(/^(checkout|co|update|up|commit|ci|export|import|list|ls|log|copy|cp|move|mv|switch|sw)$/),
  ),
  ...named("hg", withWord(/^(clone|pull|push|in|incoming|out|outgoing|id|identify)$/)),
]);
