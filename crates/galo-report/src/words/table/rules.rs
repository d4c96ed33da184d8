//! Rules that hold for every challenge: the judge's own, those of crashes and of the way to the disk, and the plan's.

use galo_words::Both;

use super::FindingWords;

findings! {
    // The count, and how much was created.
    "dirty-start": "the count was not 0 at the start", "a contagem não começou em 0";
        "Antes da primeira requisição já havia registros gravados."
        => "store data in a volume of the Compose file: galo gives each round a fresh one",
        "Guarde os dados num volume do arquivo Compose: o galo dá um novo a cada rodada.";
    "count-unreadable": "no integer could be read in the count", "não deu para ler um inteiro na contagem";
        "A leitura da contagem não trouxe um número inteiro."
        => "answer the count with a 2xx and the number as plain text",
        "Responda a contagem com um 2xx e o número como texto puro.";
    "count-differs": "the count differs from what was acknowledged", "a contagem não bate com o que foi confirmado";
        "Em repouso, a contagem tem de ser o número de criações confirmadas, mais no máximo as de efeito desconhecido. Se é menor, criações confirmadas se perderam; se é maior, há registros que ninguém confirmou."
        => "acknowledge a creation only after it is stored, and only then",
        "Confirme uma criação depois de gravá-la, nunca antes.";
    "above-ceiling": "more creations were acknowledged than the rows allow", "foram confirmadas mais criações do que os dados permitem";
        "Entre as linhas enviadas não há tantas válidas e diferentes: duplicadas ou inválidas foram aceitas."
        => "refuse duplicates and invalid data; a check before the insertion is not enough",
        "Recuse duplicadas e dados inválidos; conferir antes de inserir não basta.";
    "below-ceiling": "valid creations were not acknowledged", "criações válidas não foram confirmadas";
        "Toda criação válida tem de ser confirmada, e foram confirmadas menos do que havia."
        => "look at the creations that were answered 400 or 422",
        "Olhe as criações que foram respondidas com 400 ou 422.";
    "settled-late": "the count came to rest late", "a contagem demorou a chegar ao valor final";
        "A contagem só teve o seu último valor mais de 1 s depois do fim da carga."
        => "store before acknowledging, not from a queue",
        "Grave antes de confirmar, em vez de deixar numa fila.";
    "count-ambiguous": "the count is ambiguous", "a contagem é ambígua";
        "Há mais de um número na resposta da contagem, ou um com separadores: o certo é só o inteiro, em texto puro."
        => "answer the count with the integer alone, as plain text",
        "Responda a contagem só com o inteiro, em texto puro.";
    "count-unanswered": "the count was not answered after the load", "a contagem não foi respondida depois da carga";
        "Nenhuma leitura da contagem foi respondida com um 2xx, então não se sabe se ela bate com o que foi confirmado."
        => "answer the count also when there was much to do just before",
        "Responda a contagem também quando houve muito a fazer logo antes.";
    "count-slow": "the count took long to answer", "a contagem demorou a responder";
        "A contagem levou mais de um segundo sem mais nada para fazer, embora metade das operações sob carga seja rápida."
        => "count by an index, or keep a number",
        "Conte por um índice, ou mantenha um número pronto.";

    // The history.
    "created-twice": "one key was created twice", "a mesma chave foi criada duas vezes";
        "Duas criações da mesma chave (em `pessoas`, o apelido) foram confirmadas, uma depois da outra ou ao mesmo tempo. Só uma podia ser."
        => "let the database refuse duplicates: a check before the insertion is not enough",
        "Deixe o banco recusar duplicadas: conferir antes de inserir não basta.";
    "read-misses-acknowledged": "a read denied what was acknowledged before", "uma leitura negou o que já tinha sido confirmado";
        "Uma leitura por identidade foi respondida como se não houvesse nada ali, depois que a criação tinha sido confirmada."
        => "acknowledge a creation only when every instance can read it",
        "Confirme uma criação só quando toda instância puder lê-la.";
    "search-misses-acknowledged": "a search lacked what was acknowledged before", "uma busca não trouxe o que já tinha sido confirmado";
        "Uma busca tem de trazer tudo que contém o termo e foi confirmado antes dela."
        => "search what is stored, not a cache or a copy that is brought up to date later",
        "Busque no que está gravado, não num cache ou numa cópia que só é atualizada depois.";
    "search-forgets": "a search lacked what had been found before", "uma busca não trouxe o que já tinha sido achado";
        "O que uma resposta já mostrou tem de vir em toda busca seguinte que o procure."
        => "let every instance search the same data, and never an older state of it",
        "Faça todas as instâncias buscarem nos mesmos dados, e nunca num estado mais antigo deles.";
    "search-unknown-person": "somebody was shown who was not sent that way", "apareceu alguém que não foi enviado assim";
        "Quem aparece numa resposta tem de ter sido enviado antes, com aqueles campos, e ter sempre a mesma identidade."
        => "store and show each row whole, under the identity that its creation was answered",
        "Grave e mostre cada linha inteira, com a identidade que a sua criação respondeu.";
    "identity-given-twice": "one identity was given to several", "a mesma identidade foi dada a mais de um";
        "Criações de linhas diferentes foram confirmadas com uma só identidade."
        => "let each creation have an identity of its own",
        "Dê a cada criação uma identidade só dela.";
    "refused-but-kept": "what was refused was kept", "o que foi recusado ficou gravado";
        "Uma criação foi recusada, e mesmo assim apareceu depois."
        => "check everything before the insertion, or undo it before refusing",
        "Confira tudo antes de inserir, ou desfaça a inserção antes de recusar.";
    "failed-but-kept": "what failed was kept", "o que falhou ficou gravado";
        "Uma criação foi respondida com um 5xx (que não 502 nem 504), e mesmo assim apareceu depois."
        => "undo the insertion before answering with an error",
        "Desfaça a inserção antes de responder com erro.";
    "refused-without-duplicate": "a creation was refused as a duplicate of nothing", "uma criação foi recusada como duplicada de nada";
        "Uma criação válida só pode ser recusada como duplicada se outra da mesma chave puder ter acontecido antes."
        => "refuse as a duplicate only what the database refuses",
        "Recuse como duplicado só o que o banco recusa.";
    "not-linearizable": "the answers about a key fit no order of events", "as respostas sobre uma chave não cabem em nenhuma ordem";
        "Nenhuma ordem dos acontecimentos explica todas as respostas sobre a mesma chave: elas se contradizem."
        => "let one place decide about each key, and every answer come from there",
        "Deixe um só lugar decidir sobre cada chave, e faça toda resposta vir de lá.";

    // How it behaved.
    "pauses": "for a second or more nothing was answered", "por um segundo ou mais nada foi respondido";
        "Houve momentos em que operações esperavam e não saiu nenhuma resposta."
        => "look for what stops everything: a collector, a lock, a checkpoint, a full pool",
        "Procure o que para tudo: um coletor de lixo, um lock, um checkpoint, um pool cheio.";
    "slows-with-rows": "answers took longer the more was stored", "as respostas demoram mais quanto mais há gravado";
        "O tempo de resposta cresceu aos poucos, junto com o número de linhas."
        => "look for a scan where an index would do, or for something that is never dropped",
        "Procure uma varredura onde um índice bastaria, ou algo que nunca é descartado.";
    "resets-connections": "connections were closed instead of answered", "conexões foram fechadas em vez de respondidas";
        "Conexões já aceitas foram fechadas antes que a resposta chegasse inteira."
        => "answer 503 where there is too much to do, and close after the answer",
        "Quando houver trabalho demais, responda 503, e feche só depois da resposta.";
    "unbalanced": "one instance had next to nothing to do", "uma instância ficou quase sem trabalho";
        "De várias instâncias do mesmo serviço, uma usou muito menos CPU do que a sua parte: quase toda a carga foi para outro lugar."
        => "look at how the load balancer chooses",
        "Veja como o balanceador escolhe.";

    // The way to the disk.
    "nothing-flushed": "nothing was flushed to a disk", "nada foi para o disco: nenhum flush";
        "Criações foram confirmadas sob carga sem que nenhum serviço pedisse ao kernel um flush para o disco. Uma falta de energia poderia levá-las."
        => "switch fsync (SQLite: synchronous=FULL) and synchronous commit on",
        "Ligue o fsync (SQLite: `synchronous=FULL`) e o commit síncrono.";
    "acknowledged-before-flush": "a creation was acknowledged before it was on a disk",
        "uma criação foi confirmada antes de estar no disco";
        "Com uma única requisição de cada vez, uma criação foi confirmada sem que nenhum serviço tivesse pedido ao kernel um flush para o disco."
        => "acknowledge a creation once its commit is on the disk",
        "Confirme uma criação só quando o commit estiver no disco.";
    "commit-not-synchronous": "commits do not wait for the disk", "commits não esperam pelo disco";
        "O próprio banco diz que `fsync` ou `synchronous_commit` está desligado: o que ele confirma pode ainda não estar no disco."
        => "leave these settings as they come: on",
        "Deixe essas configurações como vêm: ligadas.";
    "count-moves-unasked": "the count moved while nobody asked for anything", "a contagem mudou sem ninguém pedir nada";
        "Antes da primeira requisição a contagem tem de ficar parada."
        => "be ready only when nothing is left to write or to delete",
        "Diga que está pronto só quando não houver mais nada para gravar ou apagar.";
    "outlives-its-volume": "data outlived its volume", "os dados sobreviveram ao seu volume";
        "Iniciado mais uma vez, com volumes novos, ele já contava registros: há dados guardados fora dos volumes."
        => "keep data in volumes of the Compose file only: galo gives each start fresh ones",
        "Guarde os dados só em volumes do arquivo Compose: o galo dá novos a cada início.";

    // Crashes and outages.
    "lost-after-crash": "what was acknowledged was lost in a crash", "o que estava confirmado se perdeu na queda";
        "O que foi confirmado antes da queda tem de estar lá, igual, depois da volta."
        => "answer a creation only when its commit is on the disk (fsync on, synchronous commit on)",
        "Responda uma criação só quando o commit dela estiver no disco (fsync e commit síncrono ligados).";
    "refused-after-crash": "what was refused is there after a crash", "o que foi recusado está lá depois da queda";
        "O que foi recusado antes da queda não pode estar lá depois da volta."
        => "refuse before anything is stored",
        "Recuse antes de gravar qualquer coisa.";
    "not-up-after-crash": "it did not come up again after a crash", "não voltou depois da queda";
        "Depois de uma queda todos os serviços têm de ficar prontos de novo, com o que deixaram nos volumes, e responder leituras."
        => "be ready only when reads are answered; look at the services' logs",
        "Diga que está pronto só quando leituras forem respondidas; veja os logs dos serviços.";
    "lost-after-restart": "what was acknowledged was lost in a restart at rest", "o que estava confirmado se perdeu ao reiniciar em repouso";
        "Depois de 15 s sem nenhuma pergunta, todos os serviços foram encerrados e iniciados de novo com os mesmos volumes: o que foi confirmado tem de estar lá, igual."
        => "keep on a disk, in a volume, what is acknowledged; write out what is left when you are asked to end",
        "Guarde em disco, em um volume, o que é confirmado; grave o que falta quando pedirem para encerrar.";
    "refused-after-restart": "what was refused is there after a restart at rest", "o que foi recusado está lá depois de reiniciar em repouso";
        "O que foi recusado não pode estar lá depois de os serviços serem encerrados e iniciados de novo."
        => "refuse before anything is stored",
        "Recuse antes de gravar qualquer coisa.";
    "not-up-after-restart": "it did not come up again after a restart at rest", "não voltou depois de reiniciar em repouso";
        "Encerrados em repouso e iniciados de novo, todos os serviços têm de ficar prontos com o que deixaram nos volumes, e responder leituras."
        => "start on volumes that are not empty as well; look at the services' logs",
        "Inicie também com volumes que não estão vazios; veja os logs dos serviços.";
    "not-in-its-volumes": "what was acknowledged is not in its volumes", "o que foi confirmado não está nos volumes";
        "Encerrados todos os serviços, o que foi confirmado tem de estar em arquivos dos volumes: o que só aparece depois de iniciar de novo veio de outro lugar."
        => "keep in files of a volume what is acknowledged, not in memory that outlives a service",
        "Guarde em arquivos de um volume o que é confirmado, não em memória que sobrevive ao serviço.";
    "emptied-at-start": "it may empty its volumes at its start", "talvez esvazie seus volumes ao iniciar";
        "Iniciado de novo com os mesmos volumes, ele não tem mais nada, embora os volumes tivessem crescido com as criações. Que estavam todas lá não se pode ver."
        => "keep at a start what the volumes hold: galo gives each round fresh ones",
        "Mantenha ao iniciar o que os volumes contêm: o galo dá novos a cada rodada.";
    "lost-in-outage": "what was acknowledged was lost with one instance", "o que estava confirmado se perdeu com uma instância";
        "Quando uma só instância é morta, nada do que foi confirmado pode se perder."
        => "keep in the database what is acknowledged, not in one instance's memory",
        "Guarde no banco o que é confirmado, não na memória de uma instância.";
    "outage-not-recovered": "an instance that was killed did not recover", "uma instância que foi morta não se recuperou";
        "A instância tem de voltar, e 2 s depois de ficar pronta nenhuma operação pode mais falhar."
        => "connect again by itself; let the balancer try an instance again after a moment",
        "Reconecte-se por conta própria; faça o balanceador tentar a instância de novo depois de um instante.";
}
