/**
 * What spans of all the world have in common: text that the compressor knows before it reads the first span, as the
 * few spans of one trace repeat little among themselves. Released text never changes, since stored spans cannot be
 * read without it; a better one becomes another version. What is most frequent stands at the end.
 */
const VERSION_1 = [
  '"thread.id":"thread.name":"MainThread","code.file.path":"code.function.name":"code.line.number":',
  '"gen_ai.request.model":"gen_ai.usage.input_tokens":"gen_ai.usage.output_tokens":"gen_ai.system":"gen_ai.operation.name":',
  '"cache.hit":true,"cache.key":["cache.item_size":"cache.get","cache.put","cache.remove"',
  '"rpc.system":"grpc","rpc.service":"rpc.method":"rpc.grpc.status_code":',
  '"messaging.system":"kafka","rabbitmq","messaging.destination.name":"messaging.operation.type":"messaging.message.id":"messaging.message.body.size":',
  '"browser.web_vital.lcp.value":"browser.web_vital.cls.value":"browser.web_vital.inp.value":"browser.web_vital.fcp.value":"browser.web_vital.ttfb.value":"ui.webvital.lcp","ui.webvital.cls","ui.interaction.click",',
  '"sentry.pageload.span_id":"sentry.replay_id":"sentry.previous_trace":"sentry.idle_span_finish_reason":"idleTimeout","browser.name":"Chrome","browser.version":"device.family":"os.name":"os.version":"effectiveConnectionType":"4g","hardwareConcurrency":',
  '"resource.render_blocking_status":"non-blocking","http.response_transfer_size":"http.response_content_length":"http.decoded_response_content_length":"http.request.redirect_start":"http.request.fetch_start":"http.request.domain_lookup_start":"http.request.connect_start":"http.request.request_start":"http.request.response_start":"http.request.response_end":"network.protocol.version":"1.1","network.protocol.name":"http","url.same_origin":true,',
  '"resource.script","resource.css","resource.img","resource.link","resource.other","resource.fetch","browser.paint","browser.request","browser.response","browser.DNS","browser.connect","browser.TLS/SSL","browser.domContentLoadedEvent","browser.loadEvent","first-contentful-paint","first-paint","mark","measure","pageload","navigation","ui.long-task",',
  '"middleware.express","middleware","router.express","request_handler.express","express.name":"express.type":"middleware","router","request_handler","query","expressInit","bodyParser","jsonParser","corsMiddleware","view.render","template.render","serialize","function","function.nextjs","ui.render","ui.react.render","django.middleware","django.view","event.django","flask","starlette","fastapi","asgi","wsgi","celery","queue.process","queue.publish","queue.task.celery",',
  '"/usr/src/app/node_modules/express/lib/router/layer.js","/app/","node_modules/",',
  '"auto.http.otel.http","auto.http.browser","auto.http.node_fetch","auto.db.otel.postgres","auto.db.otel.mysql2","auto.db.redis","auto.http.stdlib.httplib","auto.db.django","auto.http.express","auto.middleware.express","auto.pageload.browser","auto.navigation.browser","auto.resource.browser.metrics","auto.ui.browser.metrics","manual",',
  '"SELECT ","INSERT INTO "," FROM "," WHERE "," AND "," ORDER BY "," LIMIT "," VALUES ("," SET "," JOIN "," ON "," GROUP BY "," IN (?)"," RETURNING ","UPDATE ","DELETE FROM ","BEGIN","COMMIT","count(*)","$1","$2","$3","pg.query:SELECT ","GET ","SET ","HGETALL ","redis.command":',
  '"exception","exception.type":"exception.message":"exception.stacktrace":"exception.escaped":"error.type":"error","event":"log.severity":"INFO","message":',
  '"db.system":"db.system.name":"postgresql","mysql","redis","mongodb","sqlite","db.namespace":"db.name":"db.user":"db.operation.name":"SELECT","INSERT","UPDATE","DELETE","db.collection.name":"db.query.text":"db.query.summary":"db.statement":"db.connection_string":"server.address":"localhost","server.port":5432,3306,6379,27017,',
  '"user_agent.original":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/","client.address":"127.0.0.1","client.port":"network.peer.address":"network.peer.port":"net.transport":"ip_tcp","http.flavor":"1.1","http.client_ip":"http.status_text":"OK","http.host":"http.target":"http.method":"http.status_code":"http.scheme":"http.user_agent":"http.url":',
  '"sentry.sample_rate":1,"sentry.segment.id":"sentry.segment.name":"sentry.segment.name.source":"route","url","custom","sentry.trace_lifecycle":"stream","sentry.environment":"production","sentry.release":"sentry.sdk.name":"sentry.javascript.node","sentry.javascript.browser","sentry.python","sentry.sdk.version":"sentry.kind":"sentry.source":"sentry.op":"sentry.origin":',
  '"url.full":"http://","https://","url.path":"/api/v1/","/api/","url.query":"?","url.scheme":"https","http","http.route":"/","http.request.method":"GET","POST","PUT","PATCH","http.response.status_code":200,201,204,301,302,304,400,401,403,404,409,422,429,500,502,503,',
  '{"base":1,"strings":["","ok","http.server","http.client","db","db.query","db.sql.query","cache.get","default","internal_error","not_found","invalid_argument","server","client","internal","producer","consumer","http","queue","rpc","render","resource","GET /","POST /"],"parents":[0,1,1,1,1],"segments":[0,0,0],"starts":[0,"durations":["names":[1,2,"kinds":[0,0,0],"ops":["descriptions":["categories":[0,0,0],"groups":["statuses":[1,1,1],"origins":["shapes":[["data":[[0,[1,"measurements":[],"events":[],"links":[],"local_roots":[]}',
];

/** By version. */
export const DICTIONARIES: Readonly<Record<number, Uint8Array>> = {
  1: new TextEncoder().encode(VERSION_1.join("")),
};
