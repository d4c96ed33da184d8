// The server of benches/duel/truth: node server.js PORT [ROUNDS [DELAY_MS [PAUSE_MS [PERIOD_MS]]]]
//
// Each answer takes so many rounds of SHA-256 and comes so long after; once in each period (5 s) it stands still for the pause.
const crypto = require('crypto');
const [port, rounds = 0, delay = 0, pause = 0, period = 5000] = process.argv.slice(2).map(Number);
const body = '{"ok": true}';

function work() {
    let hash = Buffer.from(body);
    for (let round = 0; round < rounds; round++) hash = crypto.createHash('sha256').update(hash).digest();
}

if (pause > 0) {
    const nothing = new Int32Array(new SharedArrayBuffer(4));
    setInterval(() => Atomics.wait(nothing, 0, 0, pause), period);
}

require('http').createServer((request, response) => {
    work();
    const answer = () => {
        response.setHeader('Content-Type', 'application/json');
        response.end(body);
    };
    if (delay > 0) setTimeout(answer, delay);
    else answer();
}).listen(port, '127.0.0.1');
