//! Rules of challenges, in Portuguese: those of every challenge, and those of the one that is built in, `pessoas`.

use galo_words::Both;

use super::FindingWords;

findings! {
    // Of every challenge.
    "unexpected-status": "an answer had a status that its step does not accept", "uma resposta veio com um status que o passo não aceita";
        rule "uma resposta tem um dos status que o passo aceita (fora 408, 429 e os 5xx, que contam como falha)";
    "answers-as-described": "an answer was not as the challenge's file says", "uma resposta não veio como o arquivo do desafio diz";
        rule "cada caso e cada passo do arquivo do desafio é respondido como está escrito nele";
    "body-lacks-text": "an answer's body lacked a text", "faltou um texto no corpo de uma resposta";
        rule "o corpo da resposta contém o texto pedido";
    "body-differs": "an answer's JSON had another value, or none, at a pointer", "o JSON de uma resposta tinha outro valor, ou nenhum, em um ponteiro";
        rule "o corpo da resposta é JSON, com o valor pedido no ponteiro dado";
    "header-differs": "an answer had another value in a header, or none", "uma resposta veio com outro valor em um cabeçalho, ou nenhum";
        rule "a resposta tem o cabeçalho pedido";
    "nothing-to-keep": "an answer lacked what later steps send", "faltou em uma resposta o que passos posteriores enviam";
        rule "a resposta tem o que os passos posteriores enviam";

    // Creations.
    "valid-person-refused": "a valid person was refused", "uma pessoa válida foi recusada";
        rule "uma pessoa válida é criada com status 201; se outra linha tem o mesmo apelido, 422 também está certo";
    "invalid-person-accepted": "an invalid person was accepted", "uma pessoa inválida foi aceita";
        rule "uma pessoa com um campo longo demais, do tipo errado ou que não é data é recusada com 400 ou 422";
    "create-status": "a creation was answered by another status", "uma criação foi respondida com outro status";
        rule "uma criação é respondida com 201, 400 ou 422";
    "location-missing": "a creation's 201 had no Location", "o 201 de uma criação veio sem Location";
        rule "o 201 de uma criação traz um Location";
    "location-no-uuid": "a Location led to no UUID", "um Location não levava a um UUID";
        rule "o Location de uma criação leva a /pessoas/<id>, e o id é um UUID";
    "location-relative": "a Location named a host", "um Location citou um host";
        rule "o Location de uma criação é relativo: não cita host nenhum";
    "bad-date-accepted": "a wrong date was accepted", "uma data errada foi aceita";
        rule "um nascimento no mês 13 ou no dia 32, em outra ordem, ou que não é data é recusado com 400 ou 422, e nada é gravado";
    "impossible-date-accepted": "29 February of a common year was accepted", "29 de fevereiro foi aceito num ano que não é bissexto";
        rule "o dia 29 de fevereiro de um ano que não é bissexto é recusado";
    "date-form": "a date in another form was accepted", "uma data em outro formato foi aceita";
        rule "um nascimento em formato diferente de AAAA-MM-DD é recusado";
    "null-accepted": "a value that is missing was accepted", "um valor que falta foi aceito";
        rule "uma pessoa sem apelido, nome ou nascimento, ou com null em um deles ou num elemento da stack, é recusada com 400 ou 422, e nada é gravado";
    "too-long-accepted": "a text that is too long was accepted", "um texto longo demais foi aceito";
        rule "um apelido ou elemento da stack com mais de 32 caracteres, ou um nome com mais de 100, é recusado, e nada é gravado";
    "length-in-bytes": "lengths were counted in bytes", "tamanhos foram contados em bytes";
        rule "tamanhos são contados em caracteres: trinta e duas letras com acento não são demais";
    "wrong-type-accepted": "a value of the wrong type was accepted", "um valor do tipo errado foi aceito";
        rule "um corpo ou um campo de outro tipo JSON é recusado com 400 ou 422, e nada é gravado";
    "broken-json-accepted": "broken JSON was accepted", "JSON quebrado foi aceito";
        rule "JSON quebrado é recusado com 400 ou 422, e nada é gravado";
    "strict-json": "JSON of a lenient kind was accepted", "JSON fora do padrão foi aceito";
        rule "o que só um leitor tolerante toma por JSON é recusado";
    "json-read": "a valid person in unusual JSON was refused", "uma pessoa válida em JSON incomum foi recusada";
        rule "uma pessoa válida é criada como quer que o JSON permita escrevê-la: escapes, espaços, ordem das chaves, chaves a mais";
    "odd-text": "text that cannot be stored was not dealt with", "um texto que não dá para gravar não foi tratado";
        rule "texto que não dá para gravar ou ler, como um NUL ou metade de um par surrogate, é recusado ou substituído, sem 5xx";
    "duplicate-accepted": "one apelido was accepted several times", "o mesmo apelido foi aceito mais de uma vez";
        rule "de várias criações do mesmo apelido, mesmo ao mesmo tempo e em várias instâncias, uma é respondida com 201, e só essa pessoa é gravada";
    "exact-refusal": "a stack that is no array was refused by another status", "uma stack que não é array foi recusada com outro status";
        rule "uma stack que não é array é recusada com 400";
    "exact-status": "a refusal had another status than the rules name", "uma recusa veio com outro status que o das regras";
        rule "uma recusa tem o status que as regras dão: 422 para duplicado e para null, 400 para tipo errado e JSON quebrado";
    "empty-element-refused": "an empty element of a stack was accepted", "um elemento vazio da stack foi aceito";
        rule "um texto vazio como elemento da stack é recusado";

    // Reads.
    "read-shape": "a read had another form", "uma leitura veio em outra forma";
        rule "uma leitura responde 200 e um objeto JSON com id, apelido, nome, nascimento e stack dos tipos certos";
    "read-differs": "a read did not give the person as created", "uma leitura não trouxe a pessoa como foi criada";
        rule "uma leitura traz a pessoa como foi criada, com a stack na mesma ordem e com as repetições";
    "unknown-person": "a read of nobody was answered otherwise", "ler quem não existe teve outra resposta";
        rule "ler quem não existe responde 404; com um id que não é UUID, 400 ou 404";
    "stack-kept": "a stack was not kept as it came", "uma stack não foi guardada como veio";
        rule "uma stack mantém a ordem, as repetições e a grafia dos seus elementos";
    "null-stack-kept": "a stack of null came back as another", "uma stack null voltou diferente";
        rule "uma stack null volta como null, nem como [] nem omitida";
    "empty-stack-kept": "an empty stack came back as another", "uma stack vazia voltou diferente";
        rule "uma stack [] volta como [], nem como null nem omitida";

    // Searches.
    "search-shape": "a search had another form", "uma busca veio em outra forma";
        rule "uma busca responde 200 e um array JSON de pessoas com id, apelido, nome, nascimento e stack dos tipos certos";
    "search-phantom": "a search found somebody without the term", "uma busca trouxe alguém sem o termo";
        rule "uma busca só traz pessoas cujo apelido, nome ou stack contém o termo, em maiúsculas ou minúsculas";
    "search-duplicate": "a search listed somebody twice", "uma busca listou alguém duas vezes";
        rule "uma busca não lista ninguém duas vezes";
    "search-incomplete": "a search left somebody out", "uma busca deixou alguém de fora";
        rule "uma busca traz todo mundo cujo apelido, nome ou stack contém o termo, ou 50 deles";
    "search-case": "a search depended on letter case", "uma busca diferenciou maiúsculas de minúsculas";
        rule "uma busca acha o termo em maiúsculas ou minúsculas: node acha Node";
    "search-case-unicode": "a search depended on letter case beyond ASCII", "uma busca diferenciou maiúsculas de minúsculas fora do ASCII";
        rule "uma busca ignora maiúsculas e minúsculas também fora do ASCII: JOSÉ acha josé";
    "search-metacharacters": "a search failed at special characters", "uma busca falhou com caracteres especiais";
        rule "C++, C#, aspas e barra invertida são letras de um termo: são achados, e sem 5xx";
    "search-wildcard": "% or _ were taken for wildcards", "% ou _ valeram como curingas";
        rule "% e _ num termo são letras, não curingas";
    "search-across-fields": "a search found a term across two fields", "uma busca achou um termo entre dois campos";
        rule "um termo que junta o fim de um campo ao começo do seguinte não acha ninguém";
    "search-other-instance": "the other instance did not know a person yet", "a outra instância ainda não conhecia uma pessoa";
        rule "quem foi criado numa instância é lido e achado na outra na mesma hora";
    "no-term": "a search without a term was answered otherwise", "uma busca sem termo teve outra resposta";
        rule "uma busca sem t responde 400; com t vazio, 200 ou 400";

    // The count, and HTTP.
    "count-plain-text": "the count was not an integer in plain text", "a contagem não veio como inteiro em texto puro";
        rule "a contagem é só um inteiro, como text/plain";
    "count-fresh": "the count lacked what was acknowledged before", "faltou na contagem o que já tinha sido confirmado";
        rule "a contagem inclui todos cuja criação foi confirmada antes de ela ser pedida";
    "server-error": "a request got a 5xx or no answer", "uma requisição recebeu um 5xx ou ficou sem resposta";
        rule "nenhuma requisição de que as regras falam é respondida com um 5xx ou fica sem resposta, e nenhuma derruba o servidor";
    "content-type-json": "an answer in JSON had another Content-Type", "uma resposta em JSON veio com outro Content-Type";
        rule "uma resposta em JSON tem o Content-Type application/json";
    "not-found": "a path that does not exist was answered otherwise", "um caminho que não existe teve outra resposta";
        rule "um caminho que não existe responde 404";
    "method-refused": "a method that a path does not have was answered otherwise", "um método que o caminho não tem teve outra resposta";
        rule "um método que o caminho não tem responde 404, 405 ou 501";
    "head-answered": "HEAD was not answered as GET is", "HEAD não foi respondido como GET";
        rule "HEAD é respondido como GET, sem corpo";
    "keep-alive": "a connection did not carry several requests", "uma conexão não levou várias requisições";
        rule "uma conexão leva uma requisição depois da outra";
    "pipelining": "requests sent without waiting were not answered in their order", "requisições enviadas sem esperar não foram respondidas em ordem";
        rule "requisições enviadas sem esperar são respondidas na sua ordem";
    "http-forms": "a form of HTTP/1.1 was not understood", "uma forma do HTTP/1.1 não foi entendida";
        rule "uma requisição é entendida em toda forma que o HTTP/1.1 lhe dá (em chunks, em forma absoluta, com nomes de cabeçalhos em qualquer caixa), ou recusada sem 5xx";
    "nicknames-by-case": "a nickname was taken for another in another letter case", "um apelido foi tomado por outro em outra caixa";
        rule "um apelido que só difere na caixa de um que já existe não é uma duplicata";
}
