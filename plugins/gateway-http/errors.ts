import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  GATEWAY_UNAUTHORIZED: policy(
    "This needs the token of a paired device: pair with POST /pair, then send `Authorization: Bearer <token>` with every request.",
    401,
  ),
  GATEWAY_TOKEN_EXPIRED: policy(
    "The token of the device %s expired on %s: pair it again by a code of `gantry pair new`.",
    401,
  ),
  GATEWAY_REMOTE: policy(
    "Pairing is off, so only this machine is served: set gateway.require_pairing to true for clients elsewhere.",
  ),
  GATEWAY_FOREIGN_HOST: policy(
    "The gateway does not answer to the name in the Host header: add it to gateway.allowed_hosts.",
  ),
  GATEWAY_FOREIGN_ORIGIN: policy(
    "A page of another origin asked: add the name it is served from to gateway.allowed_hosts.",
  ),
  GATEWAY_UNTRUSTED_PROXY: policy(
    "The request was forwarded by a proxy that is not trusted: add the proxy's address to gateway.trusted_proxies.",
  ),
  GATEWAY_RATE_LIMIT: policy("Too many requests came %s: try again in %s s.", 429),

  GATEWAY_SOCKETS: policy(
    "There are %s WebSockets of this %s already, which is the most: close one that is not needed.",
    429,
  ),
  GATEWAY_UNDER_WAY: policy(
    "There are %s requests of this %s under way already, which is the most: wait until one has ended.",
    429,
  ),
  GATEWAY_CONNECTIONS: policy(
    "More connections than one address may hold came from %s and were dropped: add a proxy's address to gateway.trusted_proxies.",
  ),

  GATEWAY_NOT_FOUND: failed(
    "There is nothing at this address: GET /api/openapi.json lists what there is.",
    404,
  ),
  GATEWAY_METHOD: failed("There is no %s at this address: the methods are %s.", 405),
  GATEWAY_BAD_PATH: failed(
    "The path is not in its plain form: write it in lower case, without doubled slashes, dots and needless escapes.",
    400,
  ),
  GATEWAY_BAD_REQUEST: failed("The request is not valid HTTP.", 400),
  GATEWAY_WAITS: failed("The header %s has the value `wait` alone: send that, or leave it out.", 400),
  GATEWAY_UPGRADE: failed("This address speaks WebSocket alone: open it with a WebSocket handshake.", 426),
  GATEWAY_BAD_BODY: failed("The body is wrong: %s.", 400),
  GATEWAY_BODY_TYPE: failed("The body must be JSON in UTF-8: send `Content-Type: application/json`.", 415),
  GATEWAY_BODY_ENCODING: failed("The body must come as it is: leave `Content-Encoding` out.", 415),
  GATEWAY_TRANSFER: failed(
    "The body came in a transfer coding that is not known here: use `chunked` alone.",
    501,
  ),
  GATEWAY_BODY_TOO_LARGE: failed("The body is larger than the %s bytes that are read here.", 413),
  GATEWAY_HEADERS_TOO_LARGE: failed("The headers are too large.", 431),
  GATEWAY_TIMEOUT: failed("The request did not arrive in time.", 408),
  GATEWAY_BUSY: failed("The gateway has too much in hand: try again in a few seconds.", 503),
  GATEWAY_STOPPING: failed("The gateway is stopping: try again in a few seconds.", 503),
  GATEWAY_FAILED: failed("Something failed that should not; the log says what."),
  GATEWAY_APPROVAL_UNKNOWN: failed("There is no such question: GET /api/approvals lists the open ones.", 404),
  GATEWAY_APPROVAL_DECIDED: failed("The question is already decided%s: an answer counts once.", 409),
  GATEWAY_APPROVAL_OVER: failed("Nobody decided the question, and it is not open any more: %s", 409),
  GATEWAY_MEDIA_UNKNOWN: failed(
    "There is no such file in a session that this token may read: the answer that handed it over names its address.",
    404,
  ),
  GATEWAY_QUESTION_UNKNOWN: failed(
    "There is no such question of a tool: its stream names the open ones.",
    404,
  ),
  GATEWAY_QUESTION_ANSWERED: failed("The question is already answered: an answer counts once.", 409),
  GATEWAY_QUESTION_WRONG: failed("%s", 422),
  GATEWAY_DEVICE_NAME: usage(
    "A device's name is 1 to 64 letters without control characters: give another one.",
  ),
  GATEWAY_SCOPE_BEYOND: policy(
    "A code cannot give the scope %s, which this token lacks: make it with `gantry pair new`.",
  ),
  GATEWAY_DEVICE_UNKNOWN: failed("There is no paired device `%s`: `gantry pair list` shows them.", 404),

  GATEWAY_BAD_SCOPE: usage(
    "`%s` is not a scope: give --may some of talk, read, decide and manage, parted by commas.",
  ),
  GATEWAY_BAD_DAYS: usage("`%s` is not a number of days: give --days a whole number from 1 to %s."),

  GATEWAY_PORT_IN_USE: failed(
    "Address already in use (port %s): choose another port with --port or [gateway].port.",
  ),
  GATEWAY_LISTEN_FAILED: failed(
    "The gateway cannot listen on %s (%s): check gateway.host, gateway.port and your rights.",
  ),
  GATEWAY_BAD_PORT: usage("`%s` is not a port: give --port a number from 0 to 65535."),
  GATEWAY_OPEN_BIND: usage("The gateway does not listen on %s, which others can reach, without %s: set %s."),
  GATEWAY_TLS_PATH: usage("gateway.tls_enabled is true but gateway.%s is missing: name the PEM file."),
  GATEWAY_TLS_UNREADABLE: usage(
    "The file %s in gateway.%s cannot be read (%s): check the path, its owner and its mode.",
  ),
  GATEWAY_TLS_INVALID: usage(
    "The files in gateway.tls_cert_path and gateway.tls_key_path are not a certificate and its key in PEM (%s): name the right files.",
  ),
  GATEWAY_BAD_PROXY: usage(
    "`%s` in gateway.trusted_proxies is neither an address nor a range such as 10.0.0.0/8: correct it.",
  ),
  GATEWAY_ROUTE_TWICE: usage("The route %s is offered twice: two plugins cannot serve the same address."),
});
