//! What is told beside rules and causes: the judge's notes, what happened to services, and what could not be tried.

use galo_words::Both;

use super::FindingWords;

findings! {
    // Of a round.
    "stressed": "it was near a limit", "chegou perto de um limite";
        "A rodada exigiu o competidor: CPU ou memória perto do limite, operações que falharam, ou p99 acima do nível de serviço.";
    "operations-failed": "operations failed", "operações falharam";
        "Algumas operações falharam, expiraram ou não terminaram.";
    "kept-without-answer": "creations were kept whose client got no answer", "criações sem resposta ficaram gravadas";
        "Os clientes delas não têm como saber. Nenhuma regra foi quebrada.";
    "cost-grows-with-stored": "a request cost more the more was stored", "uma requisição custou mais quanto mais havia gravado";
        "O competidor fica de pé entre os patamares e guarda o que os anteriores gravaram: o que ele sustenta depende do quanto já guarda."
        => "look for a scan where an index would do, for an answer that holds all that there is, or for something that is never dropped",
        "Procure uma varredura onde um índice bastaria, uma resposta que traz tudo o que existe, ou algo que nunca é descartado.";
    "seldom-flushed": "few flushes for so many creations", "poucos flushes para tantas criações";
        "Foram mais de mil criações confirmadas para cada escrita forçada para o disco.";
    "flushes-unseen": "not all flushes may have been seen", "talvez nem todos os flushes tenham sido vistos";
        "O que um serviço escreve por um caminho que não é contado não é usado contra ninguém nem a favor.";
    "history-unjudged": "not all of the history could be judged", "nem todo o histórico pôde ser julgado";
        "Algumas regras não puderam ser julgadas nesta rodada, e ninguém é acusado por isso.";
    "count-unjudged": "the count could not be judged", "a contagem não pôde ser julgada";
        "Sem uma contagem respondida depois da carga, não há o que comparar com o que foi confirmado.";
    "cases-missing": "not every case of conformance could be asked", "nem todo caso de conformidade pôde ser testado";
        "Do que não pôde ser testado nada se sabe."
        => "mend what is told above, and check again",
        "Resolva o que é dito aqui, e rode o `check` de novo.";
    "unlimited": "limits were switched off", "os limites foram desligados";
        "A rodada não diz nada sobre o orçamento de CPU e memória.";
    "started-by-others": "galo did not start it", "o galo não o iniciou";
        "O servidor já estava rodando: o galo não impõe limites a ele, e a rodada não diz nada sobre o orçamento.";
    "limits-not-enforced": "limits are not enforced", "os limites não foram impostos";
        "Os limites de CPU e memória do competidor não valeram nesta rodada."
        => "galo doctor says what is missing on this machine",
        "`galo doctor` diz o que falta nesta máquina.";
    "galo-lag": "galo was later than its goal", "o galo se atrasou mais do que a sua meta";
        "As latências contêm o atraso do próprio galo, que passou da meta dele.";
    "interrupted": "the round was broken off", "a rodada foi interrompida";
        "Quem chamou o galo a interrompeu: nada nela conta contra ninguém.";
    "records-contradict": "the records contradict themselves", "os registros se contradizem";
        "Os registros da rodada não podem estar certos, o que é um defeito do galo: nada neles conta contra ninguém.";
    "judge-failed": "the judge itself failed", "o próprio juiz falhou";
        "É um defeito do galo: não se sabe nada desta rodada, e nada nela conta contra ninguém.";
    "crash": "what came of the crash", "o que resultou da queda";
        "Todos os serviços foram mortos no meio da carga e iniciados de novo com os mesmos volumes. Nenhuma perda foi vista.";
    "restart": "what came of a restart at rest", "o que resultou de reiniciar em repouso";
        "Depois de 15 s sem nenhuma pergunta todos os serviços foram encerrados e iniciados de novo com os mesmos volumes. Nenhuma perda foi vista.";
    "outage": "what came of the outage", "o que resultou da falta de uma instância";
        "Uma instância foi morta no meio da carga e iniciada de novo. Os números dizem quantas operações falharam enquanto ela faltava, e depois.";
    "second-start-failed": "it did not start a second time", "não iniciou pela segunda vez";
        "Depois da rodada ele não iniciou de novo com volumes novos, então não se sabe se guarda dados fora deles.";
    "volumes-in-memory": "its volumes lie in memory", "os volumes ficam na memória";
        "O que se grava lá não chega a disco nenhum: um flush não custa nada e não prova nada. Escolha outra pasta com --out.";
    "no-outage-round": "no outage was tried", "a falta de uma instância não foi testada";
        "Não há dois serviços com nomes ou comandos iguais a menos de dígitos, então não há uma instância que possa faltar sozinha.";

    // Of a service.
    "service-died": "a service died", "um serviço morreu";
        "Ele terminou quando ainda deveria estar rodando."
        => "see its log in the run folder",
        "Veja o log dele na pasta da execução.";
    "service-out-of-memory": "the kernel killed processes for want of memory", "o kernel matou processos por falta de memória";
        "O serviço perdeu processos por passar do seu limite de memória, e mesmo assim continuou."
        => "give the service more of the budget's memory",
        "Dê a este serviço mais da memória do orçamento.";
    "service-left-its-group": "a process left its control group", "um processo saiu do seu cgroup";
        "Fora do cgroup os limites do serviço não valem para ele, então os números não dizem nada sobre o orçamento."
        => "start the service without what opens a session (`su`, `sudo`, PAM, `systemd-run`): `x-galo.user` makes it another user's",
        "Inicie o serviço sem o que abre uma sessão (`su`, `sudo`, PAM, `systemd-run`): com `x-galo.user` ele roda com outro usuário.";
    "service-out-of-processes": "a service came to the limit of processes", "um serviço chegou ao limite de processos";
        "O kernel recusou ao serviço mais processos ou threads do que o limite dele."
        => "let it make fewer threads, or raise `pids_limit` in its file",
        "Faça-o criar menos threads, ou aumente `pids_limit` no arquivo dele.";
    "limits-lost": "a service lost its limits", "um serviço perdeu os seus limites";
        "Alguém mudou os limites dele durante a rodada, então ela não foi justa."
        => "find out what else on this machine manages control groups",
        "Descubra o que mais nesta máquina mexe em cgroups.";
    "log-flood": "a service wrote very much log", "um serviço escreveu log demais";
        "Escrever tanto log custa CPU ao serviço."
        => "let it log less; the middle of the log is cut",
        "Faça-o escrever menos; o meio do log foi cortado.";
    "service-late-to-stop": "a service did not end when it was asked", "um serviço não terminou quando foi pedido";
        "O prazo depois do sinal de parada acabou, e ele foi morto."
        => "give it another `stop_signal`, or more time by `stop_grace_period`",
        "Dê a ele outro `stop_signal`, ou mais tempo com `stop_grace_period`.";
    "service-hard-to-kill": "a service made processes while it was killed", "um serviço criava processos enquanto era morto";
        "Foi preciso passar mais de uma vez para acabar com todos os processos dele.";
}
