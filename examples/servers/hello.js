// node hello.js PORT
const body = require('fs').readFileSync(__dirname + '/hello.json');
require('http').createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
    response.end(body);
}).listen(Number(process.argv[2]), '127.0.0.1');
